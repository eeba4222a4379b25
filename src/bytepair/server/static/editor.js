// Where one types: a textarea, and behind it the same text with its tokens painted.

import { canPaint, Canvas } from './paint.js';
import { eachFrame, find, say } from './dom.js';
import { Folded, hasLongLine } from './fold.js';
import { page } from './tokens.js';
import { firstOf } from './paint.js';
import { settings } from './settings.js';

let area;
let canvas;
const folded = new Folded(); // the places in `canvas` and `area` are those of what is shown

export function startEditor() {
  area = find('text');
  canvas = new Canvas(find('paper'), find('desk'), marks);
  canvas.setText('');
  area.addEventListener('input', typed);
  area.addEventListener('paste', pasted);
  area.addEventListener('copy', copied);
  area.addEventListener('cut', copied);
  area.addEventListener('scroll', () => { area.scrollTop = 0; }); // the desk scrolls, not the area
  document.addEventListener('selectionchange', selected);
  find('desk').addEventListener('pointermove', pointed, { passive: true });
  find('desk').addEventListener('pointerleave', () => page.hover(-1));
  area.addEventListener('dblclick', () => openPicked(false));
  area.addEventListener('keydown', (event) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) openPicked(true);
  });
  page.on('text', ({ isTyped }) => {
    if (!isTyped) replace(page.text);
    show();
  });
  page.on('tokens', show);
  page.on('tokenizer', show);
  page.on('hover', canvas.repaint);
  page.on('pick', ({ from }) => {
    canvas.repaint();
    if (from !== 'editor') reveal();
  });
  settings.on('spaces', canvas.repaint);
  settings.on('chunk', canvas.repaint);
  if (!canPaint) say('This browser cannot colour text (it lacks CSS.highlights); all else works.', 'bad');
}

/** Put a text in; it can be undone, as if it had been typed, unless it is very large. */
function replace(text) {
  folded.set(text);
  area.value = folded.shown;
  area.scrollTop = 0;
  find('desk').scrollTop = 0;
}

function typed({ inputType = '' }) {
  const text = folded.typed(area.value, inputType.startsWith('history'));
  if (folded.isTooLong) fold(text, folded.unit(area.selectionEnd));
  page.setText(text, true);
  area.scrollTop = 0;
  const at = area.selectionEnd;
  const view = find('desk').getBoundingClientRect();
  const rect = canvas.rect(at, at + 1);
  if (rect.height && rect.bottom > view.bottom) find('desk').scrollTop += rect.bottom - view.bottom + 12;
}

function fold(text, unit) {
  folded.set(text);
  area.value = folded.shown;
  area.setSelectionRange(folded.place(unit), folded.place(unit));
  say('A very long line is shown as several; the text is as it was.');
}

/** Very long lines never come to the browser, which would take minutes to put a megabyte in. */
function pasted(event) {
  const added = event.clipboardData.getData('text/plain').replace(/\r\n?/g, '\n');
  if (!hasLongLine(added)) return;
  event.preventDefault();
  const start = folded.unit(area.selectionStart);
  const text = page.text.slice(0, start) + added + page.text.slice(folded.unit(area.selectionEnd));
  fold(text, start + added.length);
  page.setText(text, true);
}

/** Folds are not copied. */
function copied(event) {
  const { selectionStart: start, selectionEnd: stop } = area;
  if (start === stop || !folded.isFolded) return;
  event.clipboardData.setData('text/plain', folded.unfolded(start, stop));
  event.preventDefault();
  if (event.type === 'cut') document.execCommand('delete'); // which can be undone
}

function show() {
  canvas.setText(folded.shown);
  area.classList.toggle('bidi', canvas.isBidi);
  canvas.tokens = folded.tokens(page.tokens);
  canvas.repaint();
}

/** What is painted besides colours, of tokens [first, last). */
function marks(first, last, from, to) {
  const { hovered, picked } = page;
  const { tokens } = canvas;
  const found = [];
  const chunk = settings.get('chunk');
  for (let i = first; i < last; i++) {
    const stretch = [tokens.starts[i], tokens.stops[i]];
    if (tokens.special.has(i)) found.push(['special', ...stretch]);
    if (tokens.broken[i]) found.push(['broken', ...stretch]);
    if (chunk && i && i % chunk === 0) found.push(['chunk', ...stretch]);
  }
  if (settings.get('spaces')) {
    for (const match of folded.shown.slice(from, to).matchAll(/[^\S\n]+/gu)) {
      found.push(['space', from + match.index, from + match.index + match[0].length]);
    }
  }
  if (picked[1] > picked[0]) {
    const [a, b] = [Math.max(first, picked[0]), Math.min(last, picked[1])];
    if (b > a) found.push(['picked', tokens.starts[a], tokens.stops[b - 1]]);
  }
  if (hovered >= 0) found.push(['hover', tokens.starts[hovered], tokens.stops[hovered]]);
  return found;
}

const selected = eachFrame(() => {
  if (document.activeElement !== area || !page.isFresh) return;
  const { selectionStart: start, selectionEnd: stop } = area;
  const { starts, stops } = canvas.tokens;
  if (start === stop) {
    // The token behind the cursor; at the end, the one before it.
    const at = Math.min(firstOf(stops.length, (i) => stops[i] > start), stops.length - 1);
    page.pick(Math.max(0, at), Math.max(0, at), 'editor');
    page.tell('cursor', { token: at });
    return;
  }
  page.pick(
    firstOf(stops.length, (i) => stops[i] > start),
    firstOf(starts.length, (i) => starts[i] >= stop),
    'editor',
  );
});

let point = null;
const look = eachFrame(() => {
  if (point && page.isFresh) page.hover(canvas.tokenAt(point.x, point.y));
});

function pointed(event) {
  point = event.pointerType === 'touch' ? null : { x: event.clientX, y: event.clientY };
  look();
}

function openPicked(focus) {
  const { tokens } = canvas;
  const at = Math.min(
    firstOf(tokens.stops.length, (i) => tokens.stops[i] > area.selectionStart),
    tokens.ids.length - 1,
  );
  if (at >= 0) page.tell('open', { id: tokens.ids[at], token: at, focus });
}

/** Show the tokens that are meant. */
export function reveal() {
  const { picked } = page;
  const { tokens } = canvas;
  if (picked[1] > picked[0]) canvas.reveal(tokens.starts[picked[0]], tokens.stops[picked[0]]);
}
