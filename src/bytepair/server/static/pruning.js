// What if the vocabulary were smaller: the tokens the page's text would miss least go first.

import { isAbort, Latest } from './api.js';
import { afterPause, count, el, fixed, select } from './dom.js';
import { Canvas, firstOf, NO_COLOUR } from './paint.js';
import { strip } from './shown.js';
import { fromHex } from './text.js';
import { page } from './tokens.js';

const SHOWN = 60;
const latest = new Latest();
const details = new Latest();
let host;
let canvas;
let plan = null; // the answer, with `sums`: what the removals up to each cost
let gone = new Map(); // id -> number of its removal
let strategy = 'leaves';
let isShown = false;
let asked = '';

export function start(panel) {
  host = panel;
  const range = el('input', { type: 'range', id: 'keep', min: 0, max: 1000, value: 1000, class: 'wide', on: { input: draw } });
  const paper = el('div', { class: 'paper read' });
  const desk = el('div', { class: 'desk', tabIndex: 0, role: 'region', 'aria-label': 'The text; tokens that would go are marked' }, paper);
  host.replaceChildren(
    el('div', { class: 'bar' },
      el('label', { class: 'field grow' }, el('span', { text: 'Keep' }), range),
      el('output', { id: 'keep-said', for: 'keep' }),
      el('label', { class: 'field' }, el('span', { text: 'Remove' }),
        select([['leaves', 'leaves: exact in every format'], ['whole-words', 'whole words too'], ['residues', 'residues too']], strategy, (value) => { strategy = value; refresh(); }))),
    el('p', { id: 'prune-said', class: 'sum', 'aria-live': 'polite' }),
    el('div', { class: 'pair' }, el('section', {}, el('h3', { text: 'The text: what would be cut differently' }), desk),
      el('section', {}, el('h3', { text: 'Would go next' }), el('div', { id: 'next' }), el('h3', { text: 'Dearest that would be gone' }), el('div', { id: 'dearest' }))));
  canvas = new Canvas(paper, desk, marks);
  page.on('tokenizer', () => { if (isShown) refresh(); });
  page.on('text', () => { if (isShown) later(); });
}

export function show(is) {
  isShown = is;
  if (is) refresh();
}

const later = afterPause(() => refresh(), 600);

async function refresh() {
  const said = host.querySelector('#prune-said');
  const key = JSON.stringify([page.tokenizer, strategy, page.text]);
  if (key === asked && plan) return;
  asked = key;
  plan = null;
  if (!page.text) {
    said.textContent = 'Write or open a text first: tokens are measured on it.';
    return;
  }
  said.textContent = 'Measuring what each token saves …';
  try {
    const answer = await latest.post('/v1/prune', { text: page.text, tokenizer: page.tokenizer, strategy });
    let sum = 0;
    plan = { ...answer, sums: answer.costs.map((cost) => { sum += cost; return sum; }) };
    gone = new Map(plan.removed.map((id, number) => [id, number]));
    draw();
  } catch (error) {
    if (isAbort(error)) return;
    asked = '';
    said.replaceChildren(el('span', { class: 'bad', text: error.message }));
  }
}

/** Removals, by the slider: its right end keeps all, and half of it the last that cost something. */
function removals() {
  const share = 1 - Number(host.querySelector('#keep').value) / 1000;
  const free = firstOf(plan.sums.length, (i) => plan.sums[i] > 0);
  const n = plan.removed.length;
  return Math.round(share < 0.5 ? free * share * 2 : free + (n - free) * (share - 0.5) * 2);
}

function draw() {
  if (!plan) return;
  const size = page.info(plan.tokenizer).vocab_size;
  const k = removals();
  const after = plan.n_tokens + (k ? plan.sums[k - 1] : 0);
  const more = plan.n_tokens ? (100 * after) / plan.n_tokens - 100 : 0;
  host.querySelector('#keep-said').textContent = `${count(size - k)} of ${count(size)} tokens`;
  const free = firstOf(plan.sums.length, (i) => plan.sums[i] > 0);
  host.querySelector('#prune-said').replaceChildren(
    el('b', { text: count(after) }), ` tokens instead of ${count(plan.n_tokens)} (+${fixed(more, 1)} %). `,
    `${count(free)} tokens could go at no cost to this text.`);
  canvas.setText(page.text);
  canvas.tokens = { ...page.tokens, colours: page.tokens.ids.map(() => NO_COLOUR) };
  canvas.repaint();
  samples(k);
}

function* marks(first, last) {
  if (!plan) return;
  const k = removals();
  const { ids, starts, stops } = page.tokens;
  for (let i = first; i < last; i++) {
    const number = gone.get(ids[i]);
    if (number !== undefined && number < k) yield ['removed', starts[i], stops[i]];
  }
}

const samples = afterPause(async (k) => {
  if (!plan) return;
  const next = plan.removed.slice(k, k + SHOWN);
  const dearest = plan.removed.slice(0, k).map((id, i) => [plan.costs[i], id]).filter(([cost]) => cost > 0)
    .sort((a, b) => b[0] - a[0]).slice(0, SHOWN);
  try {
    const ids = [...next, ...dearest.map(([, id]) => id)];
    const { pieces } = ids.length ? await details.post('/v1/inspect', { ids, tokenizer: plan.tokenizer }) : { pieces: [] };
    const chips = pieces.map((piece) => ({ bytes: fromHex(piece.bytes), id: piece.id, colour: piece.id % 6 }));
    const open = (id) => page.open(id);
    const none = (text) => el('p', { class: 'hint', text });
    host.querySelector('#next').replaceChildren(next.length ? strip(chips.slice(0, next.length), open) : none('Nothing is left that could go.'));
    host.querySelector('#dearest').replaceChildren(dearest.length ? strip(chips.slice(next.length), open) : none('Nothing that the text uses.'));
  } catch (error) {
    if (!isAbort(error)) host.querySelector('#next').replaceChildren(none(error.message));
  }
}, 80);
