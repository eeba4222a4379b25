// Two prompts and what a server's prefix cache keeps of the one for the other; and typos.

import { isAbort, Latest, post } from './api.js';
import { afterPause, button, count, el, fixed } from './dom.js';
import { Canvas, N_COLOURS, NO_COLOUR } from './paint.js';
import { strip } from './shown.js';
import { fromHex } from './text.js';
import { page, tokenize } from './tokens.js';

const INSTRUCTIONS = `You are a careful assistant of a library. Answer in one sentence, and say so if you do not know.

Rules:
- Prefer what the reader can check: name the page, the author and the year.
- Never make up a source. If two sources disagree, say which one you trust, and why.
- Dates are written as 2024-05-31, amounts with their currency, names as the catalogue has them.
- If a question is about a book that is lent, say when it will be back.

`;
const FIRST = `${INSTRUCTIONS}Question: how tall is the Eiffel Tower?`;
const SECOND = `${INSTRUCTIONS}Question: how old is the Eiffel Tower?`;
const WORD = 'unbelievable weather tomorrow';
const latest = new Latest();
let host;
let first;
let second;
let typo;
let canvas;
let shared = 0;
let isShown = false;

export function start(panel) {
  host = panel;
  first = el('textarea', { value: FIRST, rows: 6, dir: 'auto', 'aria-label': 'First prompt' });
  second = el('textarea', { value: SECOND, rows: 6, dir: 'auto', 'aria-label': 'Second prompt' });
  typo = el('input', { value: WORD, dir: 'auto', 'aria-label': 'Words to misspell', class: 'wide' });
  for (const area of [first, second]) area.addEventListener('input', later);
  typo.addEventListener('input', afterPause(typos, 80));
  const paper = el('div', { class: 'paper read' });
  const desk = el('div', { class: 'desk short', tabIndex: 0, role: 'region', 'aria-label': 'The second prompt: what is shared is underlined' }, paper);
  canvas = new Canvas(paper, desk, function* marks(from, to) {
    const { starts, stops } = canvas.tokens;
    if (shared > from) yield ['picked', starts[from], stops[Math.min(shared, to) - 1]];
  });
  host.replaceChildren(
    el('div', { class: 'pair' },
      el('section', {}, el('h3', { text: 'First prompt' }), first),
      el('section', {}, el('h3', { text: 'Second prompt' }), second)),
    el('div', { class: 'bar' },
      button('First = the page’s text', () => { first.value = page.text; refresh(); }),
      button('Second = first', () => { second.value = first.value; refresh(); second.focus(); })),
    el('div', { id: 'prefix' }), desk, el('div', { id: 'blocks' }),
    el('h3', { text: 'What an edit costs' }),
    el('p', { class: 'hint', text: 'One word of the first prompt replaced, at its beginning, middle or end: the tokens that must be computed again.' }),
    el('div', { id: 'edits' }),
    el('h3', { text: 'Typos' }), typo, el('div', { id: 'typos' }));
  page.on('tokenizer', () => { if (isShown) all(); });
}

export function show(is) {
  isShown = is;
  if (is) all();
}

function all() {
  refresh();
  typos();
}

const later = afterPause(() => refresh(), 60);

async function refresh() {
  const request = { first: first.value, second: second.value, tokenizer: page.tokenizer };
  try {
    drawPrefix(await latest.post('/v1/prefix', request), await tokenize(second.value, page.tokenizer, true));
    await edits();
  } catch (error) {
    if (!isAbort(error)) host.querySelector('#prefix').replaceChildren(el('p', { class: 'bad', text: error.message }));
  }
}

function drawPrefix(answer, tokens) {
  const { second: n } = answer;
  shared = answer.shared;
  const share = n ? `${fixed((100 * shared) / n, 1)} %` : '–';
  const rows = answer.caches.map(({ size, blocks, reused, computed }) => el('tr', {},
    el('th', { scope: 'row', text: `${size}` }),
    ...[count(blocks), count(reused), count(computed)].map((text) => el('td', { text })),
    el('td', { class: 'blocks' }, blockRow(size, blocks, n))));
  const heads = ['Block', 'whole blocks shared', 'tokens reused', 'computed anew'];
  host.querySelector('#prefix').replaceChildren(
    el('p', { class: 'sum', 'aria-live': 'polite' }, el('b', { text: count(shared) }),
      ` of ${count(n)} tokens of the second prompt are shared (${share}); the first has ${count(answer.first)}.`));
  host.querySelector('#blocks').replaceChildren(el('table', { class: 'figures-table' },
    el('thead', {}, el('tr', {}, heads.map((text) => el('th', { scope: 'col', text })), el('td'))),
    el('tbody', {}, rows)));
  tokens.colours = tokens.ids.map((_, i) => (i < shared ? NO_COLOUR : i % N_COLOURS));
  canvas.setText(tokens.text);
  canvas.tokens = tokens;
  canvas.repaint();
}

/** The blocks of the second prompt as squares: kept or not. */
function blockRow(size, kept, n) {
  const blocks = Math.ceil(n / size);
  const made = Array.from({ length: Math.min(blocks, 64) }, (_, i) => el('i', { class: i < kept ? 'kept' : i * size + size > n ? 'part' : '' }));
  return el('div', { class: 'squares', 'aria-hidden': 'true' }, made, blocks > 64 ? '…' : '');
}

/** The first prompt with one word changed, at several places. */
async function edits() {
  const words = [...first.value.matchAll(/\S+/gu)];
  if (!words.length) {
    host.querySelector('#edits').replaceChildren();
    return;
  }
  const places = [['the first word', 0], ['a quarter in', 0.25], ['the middle', 0.5], ['three quarters in', 0.75], ['the last word', 1]];
  const rows = await Promise.all(places.map(async ([name, share]) => {
    const word = words[Math.round(share * (words.length - 1))];
    const changed = `${first.value.slice(0, word.index)}another${first.value.slice(word.index + word[0].length)}`;
    const answer = await post('/v1/prefix', { first: first.value, second: changed, tokenizer: page.tokenizer });
    return el('tr', {}, el('th', { scope: 'row' }, `${name}: `, el('q', {}, el('bdi', { text: word[0].slice(0, 30) }))),
      el('td', { text: count(answer.shared) }), ...answer.caches.map(({ computed }) => el('td', { text: count(computed) })));
  }));
  const heads = ['Changed', 'shared', 'anew, blocks of 16', '32', '64', '128'];
  host.querySelector('#edits').replaceChildren(el('table', { class: 'figures-table' },
    el('thead', {}, el('tr', {}, heads.map((text) => el('th', { scope: 'col', text })))), el('tbody', {}, rows)));
}

// ------------------------------------------------------------------ typos

/** Ways to misspell the first long word. */
function misspelled(text) {
  const word = text.match(/\p{L}{4,}/u);
  if (!word) return [['as typed', text]];
  const signs = [...word[0]];
  const middle = Math.floor(signs.length / 2);
  const put = (changed) => text.replace(word[0], () => changed);
  const without = (i) => [...signs.slice(0, i), ...signs.slice(i + 1)].join('');
  const swapped = [...signs.slice(0, middle - 1), signs[middle], signs[middle - 1], ...signs.slice(middle + 1)].join('');
  return [
    ['as typed', text], ['two letters swapped', put(swapped)], ['a letter missing', put(without(middle))],
    ['a letter twice', put([...signs.slice(0, middle), signs[middle], ...signs.slice(middle)].join(''))],
    ['capitals', text.toUpperCase()], ['a space within', put(`${signs.slice(0, middle).join('')} ${signs.slice(middle).join('')}`)],
    ['a space before', ` ${text}`], ['two spaces', text.replace(/ /g, '  ')], ['accents apart', text.normalize('NFD')],
  ].filter(([name, changed], i, all) => i === 0 || changed !== text && all.findIndex(([, other]) => other === changed) === i);
}

async function typos() {
  const box = host.querySelector('#typos');
  if (!typo.value) {
    box.replaceChildren();
    return;
  }
  try {
    const asked = typo.value;
    const rows = await Promise.all(misspelled(asked).map(async ([name, text]) => {
      const { pieces } = await post('/v1/inspect', { text, tokenizer: page.tokenizer });
      return { name, pieces };
    }));
    if (asked !== typo.value) return;
    const base = rows[0].pieces.length;
    box.replaceChildren(el('table', { class: 'figures-table typos' }, el('tbody', {}, rows.map(({ name, pieces }) => {
      const more = pieces.length - base;
      return el('tr', {}, el('th', { scope: 'row', text: name }), el('td', { text: count(pieces.length) }),
        el('td', { class: more > 0 ? 'worse' : '', text: more > 0 ? `+${more}` : more < 0 ? `−${-more}` : '' }),
        el('td', { class: 'wide-cell' }, strip(pieces.map((piece, i) => ({ bytes: fromHex(piece.bytes), id: piece.id, colour: i })), (id) => page.open(id))));
    }))));
  } catch (error) {
    box.replaceChildren(el('p', { class: 'bad', text: error.message }));
  }
}
