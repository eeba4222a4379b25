// Merges learned from the page's text, and the text fusing as they are applied.

import { isAbort, Latest, post } from './api.js';
import { button, count, el, fixed, labelled, select } from './dom.js';
import { Canvas, N_COLOURS, NO_COLOUR } from './paint.js';
import { signs } from './shown.js';
import { fromHex, placed, utf8 } from './text.js';
import { page } from './tokens.js';

const MOST = 100_000; // units of text
const PATTERNS = ['o200k', 'cl100k', 'gpt2', 'llama3', 'whitespace', ['', 'none: merges over all']];
const latest = new Latest();
let host;
let canvas;
let range;
let learned = null; // { merges, words, uses, text }
let pattern = 'o200k';
let wanted = 300;
let playing = 0;
let speed = 8;

export function start(panel) {
  host = panel;
  const paper = el('div', { class: 'paper read' });
  const desk = el('div', { class: 'desk', tabIndex: 0, role: 'region', 'aria-label': 'The text as its letters fuse' }, paper);
  const number = el('input', { type: 'number', min: 1, max: 5000, value: wanted, on: { change: () => { wanted = Math.max(1, Math.min(5000, Number(number.value) || 300)); } } });
  range = el('input', { type: 'range', min: 0, max: 0, value: 0, class: 'wide', 'aria-label': 'Merges applied', on: { input: () => { stop(); draw(); } } });
  host.replaceChildren(
    el('div', { class: 'bar' },
      labelled('Merges', number), labelled('Pattern', select(PATTERNS, pattern, (value) => { pattern = value; })),
      button('Train on the text', train, { class: 'primary' })),
    el('div', { class: 'bar transport', id: 'transport', hidden: true },
      button('Play', toggle, { id: 'play' }), button('‹', () => move(-1), { 'aria-label': 'One merge back' }), range,
      button('›', () => move(1), { 'aria-label': 'One merge on' }),
      labelled('Speed', select([['2', 'slow'], ['8', 'middle'], ['40', 'fast']], '8', (value) => { speed = Number(value); }))),
    el('p', { class: 'sum', id: 'train-said', 'aria-live': 'polite' }),
    el('div', { class: 'pair wide-left' }, el('section', {}, desk),
      el('section', {}, el('h3', { text: 'Merges in the order learned' }), el('ol', { id: 'merges', class: 'merges', start: 0, tabIndex: 0, 'aria-label': 'Merges' }))));
  canvas = new Canvas(paper, desk, marks);
}

export function show(is) {
  if (!is) stop();
  else if (!learned || !page.text.startsWith(learned.text)) train();
  else draw();
}

async function train() {
  stop();
  const text = page.text.slice(0, MOST).toWellFormed?.() ?? page.text.slice(0, MOST);
  const said = host.querySelector('#train-said');
  if (!text) {
    said.textContent = 'Write or open a text first: merges are learned from it.';
    return;
  }
  try {
    const rule = pattern || null;
    const [{ merges }, { ends }] = await Promise.all([
      latest.post('/v1/train', { text, n_merges: wanted, pattern: rule }), post('/v1/pretokens', { text, pattern: rule }),
    ]);
    learned = { merges, text, ...words(text, ends) };
    range.max = merges.length;
    range.value = merges.length;
    host.querySelector('#transport').hidden = !merges.length;
    host.querySelector('#merges').replaceChildren(...merges.map((merge) => el('li', {}, signs(fromHex(merge.left)), ' + ', signs(fromHex(merge.right)), el('small', { text: `${count(merge.count)}×` }))));
    canvas.setText(text);
    draw();
  } catch (error) {
    if (!isAbort(error)) said.replaceChildren(el('span', { class: 'bad', text: error.message }));
  }
}

/** Unique pre-tokens as keys of hexadecimal bytes, and which stands where. */
function words(text, ends) {
  const bytes = utf8(text);
  const hex = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));
  const numbers = new Map();
  const unique = [];
  const uses = new Uint32Array(ends.length);
  let start = 0;
  ends.forEach((end, i) => {
    const parts = Array.from(bytes.subarray(start, end), (byte) => hex[byte]);
    const key = parts.join('');
    if (!numbers.has(key)) {
      numbers.set(key, unique.length);
      unique.push({ parts, stages: null });
    }
    uses[i] = numbers.get(key);
    start = end;
  });
  return { unique, uses };
}

/** Parts of a word after the first k merges; all stages of a word are found once. */
function partsAt(word, k, ranks) {
  word.stages ??= stagesOf(word.parts, ranks);
  let found = word.stages[0].parts;
  for (const stage of word.stages) {
    if (stage.rank >= k) break;
    found = stage.parts;
  }
  return found;
}

function stagesOf(parts, ranks) {
  const stages = [{ rank: -1, parts }];
  for (;;) {
    let best = Infinity;
    for (let i = 0; i + 1 < parts.length; i++) best = Math.min(best, ranks.get(`${parts[i]} ${parts[i + 1]}`) ?? Infinity);
    if (best === Infinity) return stages;
    const joined = [];
    for (let i = 0; i < parts.length; i++) {
      const isPair = i + 1 < parts.length && ranks.get(`${parts[i]} ${parts[i + 1]}`) === best;
      joined.push(isPair ? parts[i] + parts[++i] : parts[i]);
    }
    parts = joined;
    stages.push({ rank: best, parts });
  }
}

/** The text after k merges. */
function tokensAt(k) {
  const { merges, unique, uses, text } = learned;
  learned.ranks ??= new Map(merges.map(({ left, right }, rank) => [`${left} ${right}`, rank]));
  const ends = [];
  const made = [];
  let end = 0;
  for (const use of uses) {
    for (const part of partsAt(unique[use], k, learned.ranks)) {
      end += part.length / 2;
      ends.push(end);
      made.push(part);
    }
  }
  return { ids: made, ends, ...placed(text, ends), colours: coloursOf(made) };
}

/** A token has one colour wherever it stands, unless its neighbour has the same; a byte has none. */
function coloursOf(parts) {
  const found = new Uint8Array(parts.length);
  let last = -1;
  parts.forEach((part, i) => {
    let colour = NO_COLOUR;
    if (part.length > 2) {
      let hash = 0;
      for (let n = 0; n < part.length; n++) hash = (hash * 31 + part.charCodeAt(n)) % 9973;
      colour = hash % N_COLOURS;
      if (colour === last) colour = (colour + 1) % N_COLOURS;
    }
    found[i] = colour;
    last = colour;
  });
  return found;
}

function draw() {
  const k = Number(range.value);
  canvas.tokens = tokensAt(k);
  canvas.repaint();
  const n = canvas.tokens.ids.length;
  const bytes = canvas.tokens.ends.at(-1) ?? 0;
  const merge = learned.merges[k - 1];
  const isPart = page.text.length > MOST ? ` Of the first ${count(MOST)} characters.` : '';
  host.querySelector('#train-said').replaceChildren(
    el('b', { text: count(k) }), ` of ${count(learned.merges.length)} merges: ${count(n)} tokens, ${fixed(bytes / n)} bytes each.`,
    ...(merge ? [' The last: ', signs(fromHex(merge.left)), ' + ', signs(fromHex(merge.right)), `, ${count(merge.count)} times.`] : []), isPart);
  const items = host.querySelector('#merges').children;
  host.querySelector('#merges .now')?.classList.remove('now');
  if (k) {
    const item = items[k - 1];
    item.classList.add('now');
    const box = item.parentElement;
    box.scrollTop = item.offsetTop - box.offsetTop - box.clientHeight / 2;
  }
}

function* marks(first, last) {
  const merge = learned?.merges[Number(range.value) - 1];
  if (!merge) return;
  const { ids, starts, stops, broken } = canvas.tokens;
  for (let i = first; i < last; i++) {
    if (broken[i]) yield ['broken', starts[i], stops[i]];
    if (ids[i] === merge.left + merge.right) yield ['fresh', starts[i], stops[i]];
  }
}

// ------------------------------------------------------------------ playback

function move(by) {
  stop();
  range.value = Number(range.value) + by;
  draw();
}

function toggle() {
  if (playing) {
    stop();
    return;
  }
  if (Number(range.value) >= learned.merges.length) range.value = 0;
  playing = setInterval(step, 1000 / speed);
  host.querySelector('#play').textContent = 'Pause';
}

function step() {
  if (Number(range.value) >= learned.merges.length) {
    stop();
    return;
  }
  range.value = Number(range.value) + 1;
  draw();
}

function stop() {
  clearInterval(playing);
  playing = 0;
  host.querySelector('#play').textContent = 'Play';
}
