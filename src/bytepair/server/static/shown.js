// How tokens are drawn wherever they stand alone.

import { el } from './dom.js';
import { shown, spoken } from './text.js';

/** The signs of some bytes; those that are no characters, and those that cannot be seen, marked. */
export function signs(bytes, props = {}) {
  const parts = shown(bytes).map(({ text, kind }) =>
    el('span', { class: `sign-${kind}${text.length > 1 && kind === 'space' ? ' long' : ''}`, text }));
  return el('bdi', { class: 'signs', ...props }, parts);
}

/** Tokens one after another, in colour, each a button if something is to happen. */
export function strip(tokens, call = null) {
  const made = tokens.map(({ bytes, id, colour, kind = '' }) => {
    const props = {
      class: `chip c${colour % 6} ${kind}`, title: id === undefined ? '' : `id ${id}`,
    };
    if (!call) return el('span', props, signs(bytes));
    const label = `${spoken(bytes)}, id ${id}`;
    return el('button', { type: 'button', ...props, 'aria-label': label, on: { click: () => call(id) } },
      signs(bytes));
  });
  return el('div', { class: 'strip' }, made);
}
