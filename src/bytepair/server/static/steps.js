// The merges of a word, one at a time.

import { isAbort, Latest, post } from './api.js';
import { button, count, el, empty } from './dom.js';
import { signs } from './shown.js';
import { fromHex } from './text.js';

const latest = new Latest();

/** Draw into `host` how a word becomes tokens. */
export async function stepsOf(text, tokenizer, host) {
  if (!text) {
    host.replaceChildren(empty('Type a word.'));
    return;
  }
  try {
    const { words } = await latest.post('/v1/explain', { text, tokenizer });
    await Promise.all(words.map((word) => addTree(word, tokenizer)));
    host.replaceChildren(...words.map(player));
  } catch (error) {
    if (!isAbort(error)) host.replaceChildren(el('p', { class: 'bad', text: error.message }));
  }
}

/** A token that is looked up takes no merges; those that make it are in its tree. */
async function addTree(word, tokenizer) {
  if (word.how !== 'looked up' || word.pieces.length !== 1) return;
  const { tree } = await post('/v1/token', { id: word.pieces[0].id, tokenizer });
  const symbols = [];
  const steps = [];
  let place = 0;
  tree.forEach(({ depth, bytes, rank, id }, i) => {
    if (rank === null) {
      symbols.push(bytes);
      place += bytes.length / 2;
      return;
    }
    const [left, right] = tree.slice(i + 1).filter((row) => row.depth === depth + 1);
    steps.push({ rank, place, left: left.bytes, right: right.bytes, joined: id });
  });
  steps.sort((a, b) => a.rank - b.rank || a.place - b.place);
  Object.assign(word, { symbols, steps });
}

/** The parts of a pre-token before the first merge and after each. */
function stages(word) {
  let parts = [];
  let place = 0;
  for (const hex of word.symbols) {
    parts.push({ place, hex });
    place += hex.length / 2;
  }
  const found = [parts];
  for (const { place: at, left, right } of word.steps) {
    const begin = parts.findIndex((part) => part.place === at);
    const joined = { place: at, hex: left + right, isNew: true };
    parts = [...parts.slice(0, begin), joined, ...parts.slice(begin + 2)].map((part) =>
      (part === joined ? part : { place: part.place, hex: part.hex }));
    found.push(parts);
  }
  return found;
}

function player(word) {
  if (!word.steps.length) {
    const why = {
      added: 'An added token: matched as a whole.', 'looked up': 'It is a token, which is looked for first.',
      merged: 'No merge applies.',
    };
    const parts = word.pieces.map((piece) => el('span', { class: 'chip c0' }, signs(fromHex(piece.bytes))));
    return el('div', { class: 'player' }, el('div', { class: 'strip' }, parts), el('p', { class: 'hint', text: why[word.how] }));
  }
  const all = stages(word);
  const parts = el('div', { class: 'strip' });
  const said = el('p', { class: 'hint', 'aria-live': 'polite' });
  const range = el('input', { type: 'range', min: 0, max: all.length - 1, 'aria-label': 'Merge', on: { input: () => show() } });
  const show = () => {
    const step = Number(range.value);
    parts.replaceChildren(...all[step].map(({ hex, isNew }) =>
      el('span', { class: `chip ${isNew ? 'fresh' : 'plain'}` }, signs(fromHex(hex)))));
    said.replaceChildren(...caption(word, step));
  };
  range.value = all.length - 1;
  show();
  const move = (by) => {
    range.value = Number(range.value) + by;
    show();
  };
  return el('div', { class: 'player' }, parts,
    el('div', { class: 'transport' }, button('‹', () => move(-1), { 'aria-label': 'One merge back' }), range,
      button('›', () => move(1), { 'aria-label': 'One merge on' })), said);
}

function caption(word, step) {
  if (step === 0) return [`${word.symbols.length} symbols to begin with`];
  const isLookedUp = word.how === 'looked up' && step === word.steps.length;
  const { rank, left, right, joined } = word.steps[step - 1];
  const said = [`${step} of ${word.steps.length} · rank ${count(rank)}: `, signs(fromHex(left)), ' + ', signs(fromHex(right)), ` → ${joined}`];
  const isLast = step === word.steps.length;
  if (isLast && word.stops.length) said.push(` · ${word.stops.length === 1 ? 'one border stays' : `${word.stops.length} borders stay`}: no merge joins there`);
  if (isLookedUp) said.push(' · in use it is looked up as a whole');
  return said;
}
