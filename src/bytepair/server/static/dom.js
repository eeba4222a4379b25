// Elements, made without HTML: whatever a text holds, it stays text.

/**
 * An element. `props`: `class`, `text`, `dataset`, `on` (event -> function), properties that the
 * element has (`value`, `checked`, `hidden`, ...), and attributes for all else.
 */
export function el(tag, props = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) set(element, name, value);
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

function set(element, name, value) {
  if (value === undefined || value === null || value === false) return;
  if (name === 'class') element.className = value;
  else if (name === 'text') element.textContent = value;
  else if (name === 'dataset') Object.assign(element.dataset, value);
  else if (name === 'on') {
    for (const [event, call] of Object.entries(value)) element.addEventListener(event, call);
  } else if (name in element && !name.includes('-') && name !== 'list') element[name] = value;
  else element.setAttribute(name, value === true ? '' : value);
}

export const find = (id) => document.getElementById(id);

export function button(text, call, props = {}) {
  return el('button', { type: 'button', text, on: { click: call }, ...props });
}

/** A control with its label before it. */
export function labelled(text, control, props = {}) {
  return el('label', { class: 'field', ...props }, el('span', { text }), control);
}

export function select(options, value, call, props = {}) {
  const made = options.map((option) => {
    const [key, text] = Array.isArray(option) ? option : [option, option];
    return el('option', { value: key, text });
  });
  const element = el('select', { on: { change: () => call(element.value) }, ...props }, made);
  element.value = value;
  return element;
}

/** Two or more choices of which one holds. */
export function choice(name, label, options, value, call) {
  const made = options.map(([key, text]) => {
    const input = el('input', {
      type: 'radio', name, value: key, checked: key === value, on: { change: () => call(key) },
    });
    return el('label', {}, input, el('span', { text }));
  });
  return el('fieldset', { class: 'choice' }, el('legend', { text: label }), made);
}

export const tick = (text, checked, call) => {
  const input = el('input', { type: 'checkbox', checked, on: { change: () => call(input.checked) } });
  return el('label', { class: 'tick' }, input, el('span', { text }));
};

export const empty = (text) => el('p', { class: 'empty', text });

const whole = new Intl.NumberFormat('en');
export const count = (n) => whole.format(n);
export const fixed = (n, digits = 2) => (Number.isFinite(n) ? n.toFixed(digits) : '–');
export const plural = (n, word) => `${count(n)} ${word}${n === 1 ? '' : 's'}`;

/** At most once a frame. */
export function eachFrame(call) {
  let waits = false;
  return () => {
    if (waits) return;
    waits = true;
    requestAnimationFrame(() => {
      waits = false;
      call();
    });
  };
}

/** After nothing has come for `ms`. */
export function afterPause(call, ms) {
  let timer = 0;
  return (...given) => {
    clearTimeout(timer);
    timer = setTimeout(() => call(...given), typeof ms === 'function' ? ms() : ms);
  };
}

/** Say something, to the eye and to screen readers. */
export function say(text, kind = '') {
  const line = find('said');
  line.textContent = text;
  line.className = kind;
  clearTimeout(say.timer);
  say.timer = setTimeout(() => { line.textContent = ''; }, 6000);
}

export async function copy(text, what) {
  try {
    await navigator.clipboard.writeText(text);
    say(`${what} copied.`);
  } catch {
    // Without leave for the clipboard, or over plain http: select it for the reader.
    const area = el('textarea', { class: 'off-screen', value: text });
    document.body.append(area);
    area.select();
    const done = document.execCommand('copy');
    area.remove();
    say(done ? `${what} copied.` : 'The browser does not let this page copy.', done ? '' : 'bad');
  }
}
