// The service, asked.

import { el, find } from './dom.js';

let key = '';

export class ApiError extends Error {
  constructor(status, code, message) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

async function ask(method, path, body, signal) {
  const headers = { 'content-type': 'application/json' };
  if (key) headers.authorization = `Bearer ${key}`;
  let response;
  try {
    response = await fetch(path, { method, headers, body, signal });
  } catch (error) {
    if (error.name === 'AbortError') throw error;
    throw new ApiError(0, 'unreachable', 'The service does not answer. Is it still running?');
  }
  if (response.status === 401) {
    await askKey();
    return ask(method, path, body, signal);
  }
  const text = await response.text();
  if (!response.ok) throw failure(response.status, text);
  return JSON.parse(text);
}

function failure(status, text) {
  try {
    const { code, message } = JSON.parse(text).error;
    return new ApiError(status, code, message);
  } catch {
    return new ApiError(status, 'unknown', `The service answered ${status}.`);
  }
}

export const get = (path) => ask('GET', path);
export const post = (path, value, signal) => ask('POST', path, JSON.stringify(value), signal);
export const postFile = (path, file) => ask('POST', path, file);

/** Only the newest request of a kind counts: an older one is given up. */
export class Latest {
  #control = null;

  async post(path, value) {
    this.stop();
    this.#control = new AbortController();
    const mine = this.#control;
    const answer = await post(path, value, mine.signal);
    if (mine.signal.aborted) throw new DOMException('not wanted any more', 'AbortError');
    return answer;
  }

  stop() {
    this.#control?.abort();
  }
}

export const isAbort = (error) => error.name === 'AbortError';

let asking = null;

function askKey() {
  asking ??= new Promise((done) => {
    const dialog = find('key-dialog');
    const input = el('input', { type: 'password', autocomplete: 'off', name: 'key' });
    const form = el('form', { method: 'dialog' },
      el('h2', { text: 'This service wants a key' }),
      el('label', { class: 'field' }, el('span', { text: 'API key' }), input),
      el('button', { text: 'Continue' }));
    dialog.replaceChildren(form);
    dialog.addEventListener('close', () => {
      key = input.value; // in memory only
      asking = null;
      done();
    }, { once: true });
    dialog.showModal();
  });
  return asking;
}
