// A text with its tokens in colour. Only what can be seen is painted, with the CSS Custom Highlight
// API: no element for a token, so that colours never change how letters join or lines break.

import { el, eachFrame } from './dom.js';
import { change } from './text.js';

export const N_COLOURS = 6;
const BLOCK = 2048; // units of text, at least; cut behind a line
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

export class Canvas {
  #blocks = [];
  #text = '';
  #painted = [];

  /** `scroller` shows a part of `host`. `marks(first, last)` gives [name, start, stop] to paint. */
  constructor(host, scroller, marks) {
    this.host = host;
    this.scroller = scroller;
    this.marks = marks;
    this.tokens = null;
    this.repaint = eachFrame(() => this.paint());
    scroller.addEventListener('scroll', this.repaint, { passive: true });
    new ResizeObserver(this.repaint).observe(scroller);
  }

  get text() {
    return this.#text;
  }

  /** Show a text. Only blocks that a change touches are laid out anew. */
  setText(text) {
    if (text === this.#text && this.#blocks.length) return;
    const { start, removed, added } = change(this.#text, text);
    const blocks = this.#blocks;
    const first = Math.max(0, firstOf(blocks.length, (i) => blocks[i].start > start) - 1);
    let last = firstOf(blocks.length, (i) => blocks[i].start > start + removed);
    // A block ends behind a line: what is joined to its end reaches into the next one.
    last = Math.min(blocks.length, Math.max(last, first + 1));
    const from = blocks[first]?.start ?? 0;
    const oldEnd = blocks[last]?.start ?? this.#text.length;
    const to = oldEnd + added - removed;
    const made = cut(text, from, to).map(([begin, end]) => this.#block(text, begin, end));
    const after = blocks[last]?.div ?? null;
    for (const block of blocks.slice(first, last)) block.div.remove();
    this.host.insertBefore(fragment(made), after);
    for (let i = last; i < blocks.length; i++) blocks[i].start += added - removed;
    blocks.splice(first, last - first, ...made);
    this.#text = text;
    this.#finish();
    this.repaint();
  }

  #block(text, start, end) {
    const node = document.createTextNode(text.slice(start, end));
    return { div: el('div', { class: 'block', dir: 'auto' }, node), node, start };
  }

  /** A last line that is empty has its height only with a sign in it. */
  #finish() {
    if (!this.#blocks.length) {
      this.#blocks.push(this.#block('', 0, 0));
      this.host.append(this.#blocks[0].div);
    }
    this.end ??= el('div', { class: 'block', text: '\u200b' });
    if (this.#text === '' || this.#text.endsWith('\n')) this.host.append(this.end);
    else this.end.remove();
  }

  /** Blocks that are seen, and some way above and below. */
  #seen() {
    const { top, height } = this.scroller.getBoundingClientRect();
    const begin = top - this.host.getBoundingClientRect().top - height / 2;
    const end = begin + 2 * height;
    const blocks = this.#blocks;
    const bottom = ({ div }) => div.offsetTop + div.offsetHeight;
    const first = firstOf(blocks.length, (i) => bottom(blocks[i]) > begin);
    const last = firstOf(blocks.length, (i) => blocks[i].div.offsetTop > end);
    return { first, last, begin: begin - 0, end };
  }

  /** [first, last) unit that is seen, roughly. */
  seen() {
    const { first, last, begin, end } = this.#seen();
    if (last <= first) return [0, 0];
    const blocks = this.#blocks;
    const from = blocks[first].start + this.#unitBelow(blocks[first], begin);
    const to = blocks[last - 1].start + this.#unitBelow(blocks[last - 1], end);
    return [from, to];
  }

  /** In a block without line breaks that is much larger than the window: where it is seen. */
  #unitBelow({ div, node }, y) {
    if (node.length <= 2 * BLOCK) return y > div.offsetTop ? (y > div.offsetTop + div.offsetHeight / 2 ? node.length : 0) : 0;
    const origin = this.host.getBoundingClientRect().top;
    return firstOf(node.length, (i) => rectOf(node, i, i + 1).top - origin >= y);
  }

  paint() {
    if (!canPaint) return;
    for (const [name, range] of this.#painted) highlights.get(name).delete(range);
    this.#painted = [];
    const tokens = this.tokens;
    if (!this.scroller.clientHeight) return;
    const [from, to] = this.seen();
    let cursor = this.#cursor(from);
    if (tokens) {
      const first = firstOf(tokens.stops.length, (i) => tokens.stops[i] > from);
      const last = firstOf(tokens.starts.length, (i) => tokens.starts[i] >= to);
      for (let i = first; i < last; i++) {
        if (tokens.colours[i] >= N_COLOURS) continue;
        cursor = this.#add(BASES[tokens.colours[i]], tokens.starts[i], tokens.stops[i], cursor);
      }
      for (const [name, start, stop] of this.marks?.(first, last, from, to) ?? []) {
        this.#add(`tok-${name}`, start, stop, this.#cursor(start));
      }
    }
  }

  #cursor(unit) {
    return Math.max(0, firstOf(this.#blocks.length, (i) => this.#blocks[i].start > unit) - 1);
  }

  /** Paint a stretch, which may reach over several blocks; gives the block of its end. */
  #add(name, start, stop, cursor) {
    const blocks = this.#blocks;
    let block = cursor;
    while (block + 1 < blocks.length && blocks[block + 1].start <= start) block++;
    for (let at = start; at < stop;) {
      const { node, start: base } = blocks[block];
      const end = Math.min(stop - base, node.length);
      if (end > at - base) {
        const range = new StaticRange({
          startContainer: node, startOffset: at - base, endContainer: node, endOffset: end,
        });
        highlights.get(name).add(range);
        this.#painted.push([name, range]);
      }
      at = base + node.length;
      if (at >= stop || block + 1 >= blocks.length) break;
      block++;
    }
    return block;
  }

  /** Rectangle of a stretch on the screen, of its first line. */
  rect(start, stop) {
    const { node, start: base } = this.#blocks[this.#cursor(start)];
    return rectOf(node, Math.min(start - base, node.length), Math.min(stop - base, node.length));
  }

  /** The token under a point of the screen, or -1. */
  tokenAt(x, y) {
    const tokens = this.tokens;
    if (!tokens?.starts.length || !this.#blocks.length) return -1;
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
    const { node, start: base } = this.#blocks[this.#cursor(start)];
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

function fragment(blocks) {
  const made = document.createDocumentFragment();
  made.append(...blocks.map(({ div }) => div));
  return made;
}

/** [begin, end) of blocks: whole lines, together as long as a block. */
function cut(text, from, to) {
  const blocks = [];
  for (let begin = from; begin < to;) {
    const line = text.indexOf('\n', begin + BLOCK - 1);
    const end = line < 0 || line >= to ? to : line + 1;
    blocks.push([begin, end]);
    begin = end;
  }
  return blocks;
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
