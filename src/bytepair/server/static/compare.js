// Several vocabularies on the page's text, side by side.

import { isAbort, Latest } from './api.js';
import { button, count, el, empty, fixed, plural } from './dom.js';
import { Canvas, colours, firstOf } from './paint.js';
import { cost, money, settings } from './settings.js';
import { page, tokenize } from './tokens.js';

const MOST = 4;
let host;
let columns = [];
let isShown = false;
let common = new Set();
let differing = [];

export function start(panel) {
  host = panel;
  host.replaceChildren(
    el('div', { class: 'bar' }, el('fieldset', { class: 'picks', id: 'compare-picks' }, el('legend', { text: 'Vocabularies' }))),
    el('div', { id: 'compare-figures' }),
    el('div', { class: 'bar' }, el('p', { id: 'compare-said', class: 'hint', 'aria-live': 'polite' }),
      button('Previous difference', () => go(-1)), button('Next difference', () => go(1))),
    el('div', { class: 'columns', id: 'compare-columns' }));
  const kept = settings.get('compared')?.filter((name) => page.info(name));
  page.compared = new Set(kept?.length ? kept : page.tokenizers.slice(0, 2).map(({ name }) => name));
  picks();
  page.on('tokenizers', picks);
  page.on('text', () => { if (isShown) refresh(); });
  page.on('tokenizer', () => { if (isShown) refresh(); });
  settings.on('prices', () => { if (isShown) figures(); });
}

export function show(is) {
  isShown = is;
  if (is) refresh();
}

function picks() {
  const made = page.tokenizers.map(({ name }) => {
    const input = el('input', { type: 'checkbox', checked: page.compared.has(name), on: { change: () => pick(name, input) } });
    return el('label', { class: 'tick' }, input, el('span', { text: name }));
  });
  const box = host.querySelector('#compare-picks');
  box.replaceChildren(box.firstElementChild, ...made);
}

function pick(name, input) {
  if (input.checked) page.compared.add(name);
  else page.compared.delete(name);
  if (page.compared.size > MOST) {
    const oldest = [...page.compared][0];
    page.compared.delete(oldest);
    picks();
  }
  settings.set('compared', [...page.compared]);
  refresh();
}

let timer = 0;

function refresh() {
  const names = page.tokenizers.map(({ name }) => name).filter((name) => page.compared.has(name));
  if (names.join('\n') !== columns.map(({ name }) => name).join('\n')) build(names);
  clearTimeout(timer);
  timer = setTimeout(ask, 30);
}

function build(names) {
  for (const column of columns) {
    column.latest.stop();
    column.canvas.clear();
  }
  columns = names.map((name, number) => {
    const paper = el('div', { class: 'paper read' });
    const desk = el('div', { class: 'desk', tabIndex: 0, role: 'region', 'aria-label': `Text by ${name}` }, paper);
    const head = el('h3', { text: name });
    const column = { name, desk, latest: new Latest(), tokens: null, box: el('section', { class: 'column' }, head, desk) };
    column.canvas = new Canvas(paper, desk, (first, last) => marks(column, first, last));
    desk.addEventListener('scroll', () => follow(number), { passive: true });
    return column;
  });
  const box = host.querySelector('#compare-columns');
  box.replaceChildren(...(columns.length ? columns.map((column) => column.box) : [empty('Choose a vocabulary above.')]));
}

/** The other columns scroll along: the same text has the same lines in each. */
function follow(number) {
  const top = columns[number]?.desk.scrollTop;
  for (const column of columns) {
    if (Math.abs(column.desk.scrollTop - top) > 1) column.desk.scrollTop = top;
  }
}

async function ask() {
  const { text } = page;
  try {
    await Promise.all(columns.map(async (column) => {
      const tokens = await tokenize(text, column.name, page.asTokens, column.latest);
      tokens.colours = colours(tokens.ids, column.tokens);
      column.tokens = tokens;
    }));
  } catch (error) {
    if (!isAbort(error)) host.querySelector('#compare-said').textContent = error.message;
    return;
  }
  if (text !== page.text) return;
  differences();
  for (const { canvas, tokens } of columns) {
    canvas.setText(text);
    canvas.tokens = tokens;
    canvas.repaint();
  }
  figures();
}

const span = (tokens, i) => (i ? tokens.ends[i - 1] : 0) * 2 ** 24 + tokens.ends[i];

/** Spans that all have; and the places where some token is in the one and not in the other. */
function differences() {
  common = null;
  for (const { tokens } of columns) {
    const spans = new Set();
    for (let i = 0; i < tokens.ids.length; i++) {
      const key = span(tokens, i);
      if (!common || common.has(key)) spans.add(key);
    }
    common = spans;
  }
  const places = new Set();
  let n = 0;
  for (const { tokens } of columns) {
    for (let i = 0; i < tokens.ids.length; i++) {
      if (common.has(span(tokens, i))) continue;
      n += 1;
      if (!i || common.has(span(tokens, i - 1))) places.add(tokens.starts[i]);
    }
  }
  differing = [...places].sort((a, b) => a - b);
  host.querySelector('#compare-said').textContent = columns.length < 2 ? 'Choose two or more to see where they differ.'
    : differing.length ? `They differ in ${plural(differing.length, 'place')}: ${plural(n, 'token')} that not all have.` : 'They cut this text alike.';
}

function* marks({ tokens }, first, last) {
  for (let i = first; i < last; i++) {
    const stretch = [tokens.starts[i], tokens.stops[i]];
    if (tokens.special.has(i)) yield ['special', ...stretch];
    if (tokens.broken[i]) yield ['broken', ...stretch];
    if (columns.length > 1 && !common.has(span(tokens, i))) yield ['differs', ...stretch];
  }
}

let at = -1;

function go(by) {
  if (!differing.length) return;
  const after = firstOf(differing.length, (i) => differing[i] > at);
  const index = by > 0 ? after : firstOf(differing.length, (i) => differing[i] >= at) - 1;
  at = differing[(index + differing.length) % differing.length];
  for (const { canvas, desk } of columns) {
    const rect = canvas.rect(at, at + 1);
    const view = desk.getBoundingClientRect();
    desk.scrollTop += rect.top - view.top - view.height / 3;
  }
}

function figures() {
  const rows = columns.filter(({ tokens }) => tokens).map(({ name, tokens }) => ({
    name, n: tokens.ids.length, perWord: tokens.ids.length / tokens.words,
    perToken: tokens.bytes / tokens.ids.length, size: page.info(name)?.vocab_size ?? 0,
  }));
  const best = Math.min(...rows.map(({ n }) => n));
  const worst = Math.max(...rows.map(({ n }) => n));
  const made = rows.map((row) => {
    const kind = best === worst ? '' : row.n === best ? 'best' : row.n === worst ? 'worst' : '';
    const more = best ? `${fixed((100 * row.n) / best - 100, 1)} %` : '–';
    return el('tr', { class: kind },
      el('th', { scope: 'row', text: row.name }),
      ...[count(row.size), count(row.n), kind === 'best' ? 'fewest' : `+${more}`, fixed(row.perWord), fixed(row.perToken), money(cost(row.name, row.n))]
        .map((text) => el('td', { text })));
  });
  const heads = ['Vocabulary', 'size', 'tokens', 'against the best', 'tokens/word', 'bytes/token', 'cost'];
  host.querySelector('#compare-figures').replaceChildren(
    el('table', { class: 'figures-table' },
      el('thead', {}, el('tr', {}, heads.map((text) => el('th', { scope: 'col', text })))), el('tbody', {}, made)));
}
