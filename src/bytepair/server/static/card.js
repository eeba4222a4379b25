// A token's card: what it is, what it is made of, what stands beside it, where the text uses it.

import { isAbort, Latest } from './api.js';
import { button, count, el, find, fixed, plural } from './dom.js';
import { signs, strip } from './shown.js';
import { stepsOf } from './steps.js';
import { fromHex, spoken, toHex, wordAround } from './text.js';
import { page } from './tokens.js';

const latest = new Latest();
let opened = null;

export function startCard() {
  page.on('open', open);
  page.on('tokens', () => { if (opened) uses(); });
  page.on('tokenizer', close);
}

function close() {
  opened = null;
  find('card').hidden = true;
}

/** `token`: its place in the text, if it is there; `focus`: whether the keyboard goes along. */
async function open({ id, token = -1, tokenizer = page.tokenizer, focus = true }) {
  try {
    const answer = await latest.post('/v1/token', { id, tokenizer });
    opened = { id, token, tokenizer };
    draw(answer);
    if (focus) find('card').querySelector('h2').focus();
  } catch (error) {
    if (isAbort(error)) return;
    find('card').replaceChildren(el('p', { class: 'bad', text: error.message }));
    find('card').hidden = false;
  }
}

function draw({ token, tree, neighbours }) {
  const bytes = fromHex(token.bytes);
  const facts = [
    ['id', `${token.id}`], ['bytes', `${toHex(bytes)} (${bytes.length})`],
    ['rank', token.rank === null ? 'no merge makes it' : count(token.rank)],
    ['kind', token.special ? 'added: matched as a whole' : bytes.length === 1 ? 'a byte' : 'merged'],
  ];
  const title = el('h2', { tabIndex: -1 }, signs(bytes));
  find('card').replaceChildren(
    el('header', {}, title, button('✕', closeAndReturn, { class: 'quiet', 'aria-label': 'Close the card' })),
    el('dl', { class: 'facts' }, facts.map(([name, value]) =>
      el('div', {}, el('dt', { text: name }), el('dd', { text: value })))),
    el('div', { class: 'uses', id: 'uses' }),
    el('h3', { text: 'Made of' }), treeOf(tree),
    el('h3', { text: 'Beside it in the vocabulary' }),
    strip(neighbours.map((row) => ({ bytes: fromHex(row.bytes), id: row.id, colour: row.id % 6 })),
      (id) => page.open(id)),
    wordSection(bytes));
  find('card').hidden = false;
  uses();
}

function closeAndReturn() {
  close();
  find('tokens').focus();
}

/** The merge tree as nested lists. */
function treeOf(rows) {
  const root = el('ul', { class: 'tree' });
  const open = [root];
  for (const { depth, id, bytes, rank } of rows.slice(0, 400)) {
    const label = rank === null ? `id ${id}` : `id ${id} · rank ${count(rank)}`;
    const item = el('li', {},
      el('button', { type: 'button', class: 'chip plain', on: { click: () => page.open(id) }, 'aria-label': `${spoken(fromHex(bytes))}, ${label}` },
        signs(fromHex(bytes))),
      el('small', { text: label }));
    open[depth].append(item);
    const inner = el('ul');
    open[depth + 1] = inner;
    if (rank !== null) item.append(inner);
  }
  if (rows.length === 1) return el('p', { class: 'hint', text: 'Nothing: no merge makes it.' });
  return root;
}

/** How often the text uses it, and the way from one use to the next. */
function uses() {
  const host = find('uses');
  if (!host) return;
  const { ids } = page.tokens;
  let n = 0;
  for (const id of ids) n += id === opened.id ? 1 : 0;
  const share = ids.length ? ` (${fixed((100 * n) / ids.length, 1)} % of its tokens)` : '';
  const step = (by) => {
    let at = opened.token;
    for (let i = 0; i < ids.length; i++) {
      at = (at + by + ids.length) % ids.length;
      if (ids[at] === opened.id) break;
    }
    opened.token = at;
    page.pick(at, at + 1, 'card');
  };
  host.replaceChildren(
    el('span', { text: `The text uses it ${n === 0 ? 'nowhere' : plural(n, 'time')}${n ? share : ''}.` }),
    ...(n ? [button('Previous', () => step(-1)), button('Next', () => step(1))] : []));
}

/** The merges of the word in which it stands. */
function wordSection(bytes) {
  const { tokens, text } = page;
  const at = opened.token;
  const isThere = at >= 0 && tokens.ids[at] === opened.id;
  const word = isThere ? wordAround(text, tokens.starts[at], tokens.stops[at]) : spoken(bytes);
  const input = el('input', { value: isThere ? word : new TextDecoder().decode(bytes), 'aria-label': 'Word to step through', spellcheck: false, dir: 'auto' });
  const host = el('div', { class: 'steps', id: 'steps' });
  const show = () => stepsOf(input.value, opened.tokenizer, host);
  input.addEventListener('input', show);
  show();
  return el('section', {}, el('h3', { text: 'Step through the merges of a word' }), input, host);
}
