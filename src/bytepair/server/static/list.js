// A list of which only the rows that are seen exist; it is walked through with the arrow keys.

import { el, eachFrame } from './dom.js';

const MOST_PX = 8_000_000; // browsers draw no taller element well

export class List {
  #n = 0;
  #active = -1;

  /**
   * `row(i)` gives the row's cells; `call(i)` is told which row is active; `enter(i)` which was
   * entered, by key or a click.
   */
  constructor(host, { label, height = 24, row, call = () => {}, enter = () => {}, hover }) {
    Object.assign(this, { host, height, row, call, enter });
    this.space = el('div', { class: 'space', role: 'presentation' });
    host.replaceChildren(this.space);
    host.classList.add('rows');
    for (const [name, value] of [['role', 'listbox'], ['tabindex', '0'], ['aria-label', label]]) {
      host.setAttribute(name, value);
    }
    this.draw = eachFrame(() => this.#draw());
    host.addEventListener('scroll', this.draw, { passive: true });
    host.addEventListener('keydown', (event) => this.#key(event));
    host.addEventListener('click', (event) => this.#pointed(event, (i) => {
      this.activate(i);
      this.enter(i);
    }));
    if (hover) {
      host.addEventListener('pointermove', (event) => this.#pointed(event, hover));
      host.addEventListener('pointerleave', () => hover(-1));
    }
    new ResizeObserver(this.draw).observe(host);
  }

  get active() {
    return this.#active;
  }

  setSize(n) {
    this.#n = n;
    this.space.style.height = `${Math.min(n * this.height, MOST_PX)}px`;
    if (this.#active >= n) this.#active = -1;
    this.draw();
  }

  /** Rows that one pixel of scrolling passes, where there are more than can be as tall. */
  get #scale() {
    return Math.max(1, (this.#n * this.height) / MOST_PX);
  }

  #first() {
    return Math.floor((this.host.scrollTop * this.#scale) / this.height);
  }

  #draw() {
    const { host, height } = this;
    const first = this.#first();
    const last = Math.min(this.#n, first + Math.ceil(host.clientHeight / height) + 1);
    const rows = [];
    for (let i = first; i < last; i++) {
      const row = el('div', {
        role: 'option', class: 'row', id: `${host.id}-${i}`, 'aria-setsize': `${this.#n}`,
        'aria-posinset': `${i + 1}`, 'aria-selected': i === this.#active ? 'true' : 'false',
        dataset: { i },
      }, this.row(i));
      const shift = this.#scale > 1 ? host.scrollTop - (host.scrollTop * this.#scale) % height + (i - first) * height : i * height;
      row.style.transform = `translateY(${shift}px)`;
      rows.push(row);
    }
    this.space.replaceChildren(...rows);
    const isDrawn = this.#active >= first && this.#active < last;
    if (isDrawn) host.setAttribute('aria-activedescendant', `${host.id}-${this.#active}`);
    else host.removeAttribute('aria-activedescendant');
  }

  #pointed(event, call) {
    const row = event.target.closest?.('.row');
    if (row) call(Number(row.dataset.i));
  }

  #key(event) {
    const page = Math.max(1, Math.floor(this.host.clientHeight / this.height) - 1);
    const steps = {
      ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -this.#n, End: this.#n,
    };
    if (event.key in steps && !event.ctrlKey && !event.metaKey && this.#n) {
      event.preventDefault();
      const wanted = Math.max(0, Math.min(this.#n - 1, this.#active + steps[event.key]));
      this.activate(wanted);
      this.call(wanted);
    } else if ((event.key === 'Enter' || event.key === ' ') && this.#active >= 0) {
      event.preventDefault();
      this.enter(this.#active);
    }
  }

  activate(i) {
    this.#active = i;
    this.reveal(i);
    this.draw();
  }

  reveal(i) {
    if (i < 0) return;
    const { host, height } = this;
    const first = this.#first();
    const n = Math.floor(host.clientHeight / height);
    if (i < first || i >= first + n) {
      host.scrollTop = Math.max(0, ((i - Math.floor(n / 2)) * height) / this.#scale);
    }
  }
}
