// A text with its tokens in colour. Only what can be seen is painted, with the CSS Custom Highlight
// API: no element for a token, so that colours never change how letters join or lines break.

import { el, eachFrame } from './dom.js';
import { change, cut } from './text.js';

export const N_COLOURS = 6;
export const NO_COLOUR = 9;
const PIECE = 2048; // units of text
const RIGHT_TO_LEFT = /[\u0590-\u08ff\u200f\u202b\u202e\u2067\ufb1d-\ufdff\ufe70-\ufefc]|\ud802|\ud803|\ud83a|\ud83b/;
const BASES = Array.from({ length: N_COLOURS }, (_, n) => `tok-${n}`);
// Later ones lie over earlier ones.
const MARKS = ['special', 'broken', 'space', 'differs', 'removed', 'chunk', 'fresh', 'picked', 'hover'];

export const canPaint = typeof Highlight === 'function' && Boolean(globalThis.CSS?.highlights);
const highlights = new Map();
if (canPaint) {
  [...BASES, ...MARKS.map((name) => `tok-${name}`)].forEach((name, priority) => {
    const made = new Highlight();
    made.priority = priority;
    highlights.set(name, made);
    CSS.highlights.set(name, made);
  });
}

/** First index for which `holds`, of `n` that are ordered. */
export function firstOf(n, holds) {
  let low = 0;
  let high = n;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/**
 * The text is in pieces of some KB, a text node each, so that a change or a painted range concerns
 * little of it. Pieces stand in blocks of whole lines; a line that is longer is a block of several.
 */
export class Canvas {
  #pieces = []; // { node, div, start }
  #text = '';
  #painted = [];

  /** `scroller` shows a part of `host`. `marks(first, last)` gives [name, start, stop] to paint. */
  constructor(host, scroller, marks) {
    this.host = host;
    this.scroller = scroller;
    this.marks = marks;
    this.tokens = null;
    this.isBidi = false;
    this.repaint = eachFrame(() => this.paint());
    scroller.addEventListener('scroll', this.repaint, { passive: true });
    new ResizeObserver(this.repaint).observe(scroller);
  }

  /** Show a text. Only what a change touches is laid out anew. */
  setText(text) {
    const pieces = this.#pieces;
    if (text === this.#text && pieces.length) return;
    const { start, removed, added } = change(this.#text, text);
    this.#findDirections(text, start, added);
    const at = this.#pieceOf(start);
    if (!this.#replaceWithin(at, text, { start, removed, added })) {
      let first = at;
      let last = firstOf(pieces.length, (i) => pieces[i].start > start + removed);
      while (first > 0 && pieces[first - 1].div === pieces[first].div) first--;
      while (last < pieces.length && pieces[last].div === pieces[last - 1].div) last++;
      this.#replaceBlocks(first, last, text, added - removed);
    }
    this.#text = text;
    this.#finish();
    this.repaint();
  }

  /** Browsers lay text of one direction out several times faster: tell them if it is of two. */
  #findDirections(text, start, added) {
    this.isBidi = RIGHT_TO_LEFT.test(text.slice(start, start + added)) || (this.isBidi && added < text.length);
    this.host.classList.toggle('bidi', this.isBidi);
  }

  /** A change within one piece: the browser shapes anew only what is near it. */
  #replaceWithin(at, text, { start, removed, added }) {
    const piece = this.#pieces[at];
    if (!piece) return false;
    const { node } = piece;
    const from = start - piece.start;
    const size = node.length + added - removed;
    const isLast = at === this.#pieces.length - 1;
    if (from + removed > node.length || size > 4 * PIECE || size === 0) return false;
    const keepsEnd = isLast || from + removed < node.length;
    if (!keepsEnd) return false; // its last line break may be what was changed
    node.replaceData(from, removed, text.slice(start, start + added));
    this.#shift(at + 1, added - removed);
    return true;
  }

  #replaceBlocks(first, last, text, by) {
    const pieces = this.#pieces;
    const from = pieces[first]?.start ?? 0;
    const to = (pieces[last]?.start ?? this.#text.length) + by;
    const after = pieces[last]?.div ?? null;
    for (let i = first; i < last; i++) pieces[i].div.remove();
    const made = blocks(text, from, to);
    const fragment = document.createDocumentFragment();
    for (const { div, node } of made) {
      div.append(node);
      fragment.append(div);
    }
    this.host.insertBefore(fragment, after);
    this.#shift(last, by);
    pieces.splice(first, last - first, ...made);
  }

  #shift(first, by) {
    const pieces = this.#pieces;
    for (let i = first; i < pieces.length; i++) pieces[i].start += by;
  }

  /** A last line that is empty has its height only with a sign in it. */
  #finish() {
    if (!this.#pieces.length) {
      const [made] = blocks('', 0, 0);
      made.div.append(made.node);
      this.host.append(made.div);
      this.#pieces.push(made);
    }
    this.end ??= el('div', { class: 'block', text: '\u200b' });
    if (this.#text === '' || this.#text.endsWith('\n')) this.host.append(this.end);
    else this.end.remove();
  }

  #pieceOf(unit) {
    const pieces = this.#pieces;
    return Math.max(0, firstOf(pieces.length, (i) => pieces[i].start > unit) - 1);
  }

  #top({ node, div }) {
    const rect = rectOf(node, 0, 1);
    return rect.height ? rect.top : div.getBoundingClientRect().top;
  }

  /** [first, last) unit that is seen, and some before and behind. */
  seen() {
    const pieces = this.#pieces;
    const { top, bottom, height } = this.scroller.getBoundingClientRect();
    const first = firstOf(pieces.length, (i) => this.#top(pieces[i]) > top - height / 2) - 1;
    const last = firstOf(pieces.length, (i) => this.#top(pieces[i]) > bottom + height / 2);
    return [pieces[Math.max(0, first)]?.start ?? 0, pieces[last]?.start ?? this.#text.length];
  }

  /** Take all paint off; to be called before the host is thrown away. */
  clear() {
    for (const [name, range] of this.#painted) highlights.get(name).delete(range);
    this.#painted = [];
  }

  paint() {
    if (!canPaint) return;
    this.clear();
    const tokens = this.tokens;
    if (!this.scroller.clientHeight) return;
    const [from, to] = this.seen();
    let cursor = this.#pieceOf(from);
    if (tokens) {
      const first = firstOf(tokens.stops.length, (i) => tokens.stops[i] > from);
      const last = firstOf(tokens.starts.length, (i) => tokens.starts[i] >= to);
      for (let i = first; i < last; i++) {
        if (tokens.colours[i] >= N_COLOURS) continue;
        cursor = this.#add(BASES[tokens.colours[i]], tokens.starts[i], tokens.stops[i], cursor);
      }
      for (const [name, start, stop] of this.marks?.(first, last, from, to) ?? []) {
        this.#add(`tok-${name}`, start, stop, this.#pieceOf(start));
      }
    }
  }

  /** Paint a stretch, which may reach over several pieces; gives the piece of its end. */
  #add(name, start, stop, cursor) {
    const pieces = this.#pieces;
    let piece = cursor;
    while (piece + 1 < pieces.length && pieces[piece + 1].start <= start) piece++;
    for (let at = start; at < stop;) {
      const { node, start: base } = pieces[piece];
      const end = Math.min(stop - base, node.length);
      if (end > at - base) {
        const range = new StaticRange({
          startContainer: node, startOffset: at - base, endContainer: node, endOffset: end,
        });
        highlights.get(name).add(range);
        this.#painted.push([name, range]);
      }
      at = base + node.length;
      if (at >= stop || piece + 1 >= pieces.length) break;
      piece++;
    }
    return piece;
  }

  /** Rectangle of a stretch on the screen, of its first line. */
  rect(start, stop) {
    const { node, start: base } = this.#pieces[this.#pieceOf(start)];
    return rectOf(node, Math.min(start - base, node.length), Math.min(stop - base, node.length));
  }

  /** The token under a point of the screen, or -1. */
  tokenAt(x, y) {
    const tokens = this.tokens;
    if (!tokens?.starts.length || !this.#pieces.length) return -1;
    const [from, to] = this.seen();
    const first = firstOf(tokens.stops.length, (i) => tokens.stops[i] > from);
    const last = firstOf(tokens.starts.length, (i) => tokens.starts[i] >= to);
    const line = firstOf(last - first, (i) => {
      const rects = this.#rects(first + i);
      return rects.length > 0 && rects[rects.length - 1].bottom > y;
    });
    for (let i = first + line; i < Math.min(last, first + line + 400); i++) {
      for (const rect of this.#rects(i)) {
        if (y >= rect.top && y < rect.bottom && x >= rect.left && x < rect.right) return i;
        if (rect.top > y + rect.height) return -1;
      }
    }
    return -1;
  }

  #rects(token) {
    const start = this.tokens.starts[token];
    const { node, start: base } = this.#pieces[this.#pieceOf(start)];
    const range = document.createRange();
    range.setStart(node, start - base);
    range.setEnd(node, Math.min(this.tokens.stops[token] - base, node.length));
    return range.getClientRects();
  }

  /** Scroll so that a stretch can be seen. */
  reveal(start, stop) {
    const rect = this.rect(start, Math.max(stop, start + 1));
    const view = this.scroller.getBoundingClientRect();
    if (rect.top >= view.top && rect.bottom <= view.bottom) return;
    this.scroller.scrollTop += rect.top - view.top - view.height / 3;
  }
}

function rectOf(node, start, stop) {
  const range = document.createRange();
  range.setStart(node, Math.min(start, node.length));
  range.setEnd(node, Math.min(stop, node.length));
  return range.getBoundingClientRect();
}

/** Pieces of a stretch, and the blocks to put them in. */
function blocks(text, from, to) {
  const made = [];
  let div = null;
  for (let begin = from; begin < to || !made.length;) {
    div ??= el('div', { class: 'block' });
    const end = Math.min(cut(text, begin, PIECE), to);
    made.push({ div, node: document.createTextNode(text.slice(begin, end)), start: begin });
    if (text[end - 1] === '\n') div = null;
    begin = Math.max(end, begin + 1);
  }
  return made;
}

/**
 * A colour for each token. Those of `old` that are still there, before and behind a change, keep
 * theirs: a letter typed must not recolour the page.
 */
export function colours(ids, old) {
  const n = ids.length;
  const found = new Uint8Array(n);
  const before = old?.ids ?? [];
  const most = Math.min(n, before.length);
  let head = 0;
  while (head < most && ids[head] === before[head]) head++;
  let tail = 0;
  while (tail < most - head && ids[n - 1 - tail] === before[before.length - 1 - tail]) tail++;
  if (head) found.set(old.colours.subarray(0, head));
  if (tail) found.set(old.colours.subarray(before.length - tail), n - tail);
  for (let i = head; i < n - tail; i++) {
    const next = i + 1 === n - tail && tail ? found[i + 1] : -1;
    const last = i ? found[i - 1] : N_COLOURS - 1;
    found[i] = (last + 1) % N_COLOURS;
    if (found[i] === next) found[i] = (last + 2) % N_COLOURS;
  }
  if (head === n - tail && head && tail && found[head - 1] === found[head]) {
    found[head - 1] = other(found[head - 2] ?? -1, found[head]);
  }
  return found;
}

const other = (a, b) => [0, 1, 2].find((colour) => colour !== a && colour !== b);
