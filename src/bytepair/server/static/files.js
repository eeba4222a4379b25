// Files, dropped or chosen: a tokenizer is sent to the service, a text is shown. Links: the text is
// in the fragment, which browsers never send.

import { postFile } from './api.js';
import { copy, count, find, say } from './dom.js';
import { page } from './tokens.js';

const MOST_TEXT = 16 << 20;

export function startFiles() {
  find('file').addEventListener('change', () => {
    take([...find('file').files]);
    find('file').value = '';
  });
  find('open').addEventListener('click', () => find('file').click());
  const drop = find('drop');
  let depth = 0;
  const isFile = (event) => event.dataTransfer?.types.includes('Files');
  addEventListener('dragenter', (event) => {
    if (!isFile(event)) return;
    depth += 1;
    drop.hidden = false;
  });
  addEventListener('dragleave', (event) => {
    if (isFile(event) && --depth === 0) drop.hidden = true;
  });
  addEventListener('dragover', (event) => { if (isFile(event)) event.preventDefault(); });
  addEventListener('drop', (event) => {
    if (!isFile(event)) return;
    event.preventDefault();
    depth = 0;
    drop.hidden = true;
    take([...event.dataTransfer.files]);
  });
  find('share').addEventListener('click', share);
}

async function take(files) {
  for (const file of files) {
    try {
      if (await isTokenizer(file)) await upload(file);
      else await read(file);
    } catch (error) {
      say(error.message, 'bad');
    }
  }
}

async function isTokenizer(file) {
  if (!file.name.endsWith('.json')) return false;
  return /"model"\s*:|"added_tokens"\s*:/.test(await file.slice(0, 65536).text());
}

async function upload(file) {
  say(`Reading ${file.name} …`);
  const made = await postFile('/v1/tokenizers', file);
  await page.load();
  page.choose(made.name);
  say(`${file.name}: ${count(made.vocab_size)} tokens, as ${made.name}.`);
}

async function read(file) {
  const part = file.slice(0, MOST_TEXT);
  const bytes = await part.arrayBuffer();
  let text;
  let note = '';
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
    note = ' It is not all UTF-8: what is not has become U+FFFD.';
  }
  page.setText(text);
  if (file.size > MOST_TEXT) note += ` Only the first ${MOST_TEXT >> 20} MiB are shown.`;
  say(`${file.name}: ${count(bytes.byteLength)} bytes.${note}`);
}

// ------------------------------------------------------------------ links

/** What comes out of a stream that packs or unpacks; a link that unpacks to too much is refused. */
async function through(bytes, stream) {
  const reader = new Blob([bytes]).stream().pipeThrough(stream).getReader();
  const parts = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return new Uint8Array(await new Blob(parts).arrayBuffer());
    parts.push(value);
    size += value.length;
    if (size > MOST_TEXT) {
      reader.cancel();
      throw new RangeError('too long');
    }
  }
}

async function share() {
  const packed = await through(new TextEncoder().encode(page.text), new CompressionStream('deflate-raw'));
  let binary = '';
  for (const byte of packed) binary += String.fromCharCode(byte);
  const base64 = btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
  const members = new URLSearchParams({ tokenizer: page.tokenizer, view: page.view ?? 'text', text: base64 });
  if (!page.asTokens) members.set('specials', 'text');
  if (base64.length > 1_500_000) {
    say('The text is too long for a link.', 'bad');
    return;
  }
  history.replaceState(null, '', `#${members}`);
  await copy(location.href, `A link of ${count(location.href.length)} characters`);
}

/** What a link says, or null. */
export async function shared() {
  const members = new URLSearchParams(location.hash.slice(1));
  if (!members.has('text')) return null;
  try {
    const binary = atob(members.get('text').replaceAll('-', '+').replaceAll('_', '/'));
    const packed = Uint8Array.from(binary, (sign) => sign.charCodeAt(0));
    const bytes = await through(packed, new DecompressionStream('deflate-raw'));
    return {
      text: new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes),
      tokenizer: members.get('tokenizer'),
      view: members.get('view'),
      asTokens: members.get('specials') !== 'text',
    };
  } catch {
    say('The link is damaged: its text cannot be read.', 'bad');
    return null;
  }
}
