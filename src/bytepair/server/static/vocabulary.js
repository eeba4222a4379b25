// All tokens of a vocabulary, searched; and those that no text of this page needs.

import { isAbort, Latest, post } from './api.js';
import { afterPause, count, el, labelled, select } from './dom.js';
import { List } from './list.js';
import { signs } from './shown.js';
import { fromHex, toHex } from './text.js';
import { page } from './tokens.js';

const PAGE = 200;
const SCRIPTS = [['', 'any script'], ...['Latin', 'Cyrillic', 'Greek', 'Arabic', 'Hebrew', 'Devanagari', 'Bengali', 'Tamil', 'Thai', 'Khmer', 'CJK', 'Hiragana', 'Katakana', 'Hangul', 'Armenian', 'Georgian'].map((name) => [name.toUpperCase(), name])];
const SHOW = [['all', 'all'], ['special', 'special and added'], ['used', 'used by the text'], ['unreachable', 'unreachable: no text yields them'], ['residue', 'residues: only on the way to longer ones']];
const latest = new Latest();
const pruning = new Latest();
let host;
let list;
let total = 0;
let pages = new Map(); // number -> rows, or null while they are fetched
let chosen = null; // ids, where the page knows them
let uses = new Map();
let isShown = false;
const wanted = { search: '', script: null, shortest: 0, longest: null, order: 'id', show: 'all' };

export function start(panel) {
  host = panel;
  const number = (name, text) => {
    const input = el('input', { type: 'number', min: 0, size: 4, on: { input: () => { wanted[name] = input.value === '' ? (name === 'shortest' ? 0 : null) : Number(input.value); later(); } } });
    return labelled(text, input);
  };
  const search = el('input', { type: 'search', placeholder: 'part of a token', spellcheck: false, on: { input: () => { wanted.search = search.value; later(); } } });
  host.replaceChildren(
    el('form', { class: 'bar filters', role: 'search', on: { submit: (event) => event.preventDefault() } },
      labelled('Search', search),
      labelled('Show', select(SHOW, 'all', (value) => { wanted.show = value; refresh(); })),
      labelled('Script', select(SCRIPTS, '', (value) => { wanted.script = value || null; refresh(); })),
      number('shortest', 'Bytes from'), number('longest', 'to'),
      labelled('Order', select([['id', 'id'], ['length', 'longest first'], ['rank', 'rank']], 'id', (value) => { wanted.order = value; refresh(); }))),
    el('p', { id: 'vocabulary-said', class: 'hint', 'aria-live': 'polite' }),
    el('div', { class: 'cells head', 'aria-hidden': 'true' }, ['id', 'token', 'bytes', 'rank', 'in the text'].map((text) => el('span', { text }))),
    el('div', { id: 'vocabulary-rows', class: 'vocabulary-rows' }));
  list = new List(host.querySelector('#vocabulary-rows'), { label: 'Tokens of the vocabulary', row, enter: (i) => { const found = at(i); if (found) page.open(found.id); } });
  page.on('tokenizer', () => { if (isShown) refresh(); });
  page.on('tokens', () => { if (isShown) counted(); });
}

export function show(is) {
  isShown = is;
  if (is) {
    counted();
    refresh();
  }
}

const later = afterPause(() => refresh(), 120);

function counted() {
  uses = new Map();
  for (const id of page.tokens.ids) uses.set(id, (uses.get(id) ?? 0) + 1);
  list.draw();
}

function request(offset) {
  return {
    tokenizer: page.tokenizer, search: wanted.search, script: wanted.script, shortest: wanted.shortest || 0,
    longest: wanted.longest, only_special: wanted.show === 'special', order: wanted.order, offset, limit: PAGE,
  };
}

async function refresh() {
  const said = host.querySelector('#vocabulary-said');
  try {
    chosen = await chosenIds(said);
    if (chosen) await filterChosen();
    else {
      const answer = await latest.post('/v1/vocabulary', request(0));
      pages = new Map([[0, answer.tokens]]);
      total = answer.total;
    }
    said.textContent = `${count(total)} of ${count(page.info().vocab_size)} tokens`;
    list.setSize(total);
    list.host.scrollTop = 0;
  } catch (error) {
    if (isAbort(error)) return;
    said.textContent = error.message;
  }
}

/** Ids of a kind that the vocabulary's own listing cannot tell; null: it can. */
async function chosenIds(said) {
  if (wanted.show === 'used') return new Set(page.tokens.ids);
  if (wanted.show !== 'unreachable' && wanted.show !== 'residue') return null;
  said.textContent = 'Looking at every token …';
  const answer = await pruning.post('/v1/prune', { text: page.text || ' ', tokenizer: page.tokenizer, vocab_size: page.info().vocab_size });
  return new Set(wanted.show === 'unreachable' ? answer.unreachable : answer.residues);
}

/** All that fit the other filters are fetched, and those of the chosen ids kept. */
async function filterChosen() {
  const rows = [];
  let n = Infinity;
  for (let offset = 0; offset < n; offset += 1000) {
    const answer = await latest.post('/v1/vocabulary', { ...request(offset), limit: 1000 });
    n = chosen.size ? answer.total : 0;
    rows.push(...answer.tokens.filter(({ id }) => chosen.has(id)));
    if (rows.length === chosen.size) break;
  }
  pages = new Map();
  for (let i = 0; i < rows.length; i += PAGE) pages.set(i / PAGE, rows.slice(i, i + PAGE));
  total = rows.length;
}

function at(i) {
  const number = Math.floor(i / PAGE);
  const rows = pages.get(number);
  if (rows === undefined) fetchPage(number);
  return rows?.[i % PAGE];
}

async function fetchPage(number) {
  pages.set(number, null);
  const mine = pages;
  try {
    const { tokens } = await post('/v1/vocabulary', request(number * PAGE));
    mine.set(number, tokens);
    if (mine === pages) list.draw();
  } catch {
    mine.delete(number); // asked for again when it is drawn again
  }
}

function row(i) {
  const found = at(i);
  if (!found) return el('div', { class: 'cells', text: '…' });
  const bytes = fromHex(found.bytes);
  const n = uses.get(found.id) ?? 0;
  return el('div', { class: `cells ${found.special ? 'special' : ''}` },
    el('span', { class: 'id', text: `${found.id}` }), el('span', { class: `t c${found.id % 6}` }, signs(bytes)),
    el('span', { class: 'b', text: bytes.length > 12 ? `${toHex(bytes.subarray(0, 12))} … (${bytes.length})` : toHex(bytes) }),
    el('span', { class: 'o', text: found.rank === null ? '–' : count(found.rank) }),
    el('span', { class: 'o', text: n ? count(n) : '' }));
}
