/**
 * The script of the reference page: filters the operations, opens the one in the link, and sends the forms. Numbers in responses are shown
 * unchanged.
 */
export const referenceScript = `
'use strict';
const all = (query, from = document) => [...from.querySelectorAll(query)];
const key = document.getElementById('key');
const forms = all('form[data-path]');

function requestOf(form) {
  let path = form.dataset.path;
  const query = new URLSearchParams();
  for (const field of all('[data-in]', form)) {
    const values = field.multiple ? [...field.selectedOptions].map((option) => option.value) : [field.value.trim()];
    for (const value of values.filter((each) => each !== ''))
      if (field.dataset.in === 'path') path = path.replace('{' + field.name + '}', encodeURIComponent(value));
      else if (field.dataset.in === 'query') query.append(field.name, value);
  }
  const body = form.querySelector('[data-in=body]')?.value;
  const text = query.toString();
  const headers = { ...(key.value && { 'x-service-api-key': key.value }), ...(body !== undefined && { 'content-type': 'application/json' }) };
  return { url: location.origin + path + (text && '?' + text), method: form.dataset.method, headers, body };
}

const quoted = (text) => "'" + text.replaceAll("'", "'\\\\''") + "'";

function showCurl(form) {
  const { url, headers, body } = requestOf(form);
  const lines = Object.keys(headers).map((name) => '-H ' + quoted(name + ': ' + (name === 'x-service-api-key' ? '$KEY' : headers[name])));
  if (body !== undefined) lines.push('-d ' + quoted(body));
  form.querySelector('.curl').textContent = ['curl ' + quoted(url), ...lines].join(' \\\\\\n  ');
}

const tokens = /"(?:[^"\\\\]|\\\\.)*"|-?[0-9][0-9.eE+-]*|true|false|null|[{}[\\],:]/g;
const largest = 400000;

/** Shows JSON with line breaks and colours; numbers are shown as they were sent. */
function showJson(into, text) {
  into.textContent = '';
  const found = text.length > largest ? null : text.match(tokens);
  if (found === null) return void (into.textContent = text);
  let depth = 0;
  const line = () => '\\n' + '  '.repeat(depth);
  const add = (piece, kind) => {
    const span = document.createElement('span');
    span.className = kind;
    span.textContent = piece;
    into.append(span);
  };
  found.forEach((token, at) => {
    const next = found[at + 1];
    if (token === '{' || token === '[') {
      depth++;
      into.append(token + (next === '}' || next === ']' ? '' : line()));
    } else if (token === '}' || token === ']') {
      depth--;
      const isEmpty = found[at - 1] === '{' || found[at - 1] === '[';
      into.append((isEmpty ? '' : line()) + token);
    } else if (token === ',') into.append(',' + line());
    else if (token === ':') into.append(': ');
    else add(token, token[0] === '"' ? (next === ':' ? 'k' : 's') : /^[tfn]/.test(token) ? 'w' : 'n');
  });
}

async function send(form) {
  const result = form.parentElement.querySelector('.result');
  const status = result.querySelector('.status');
  const more = form.querySelector('.more');
  const buttons = all('button', form);
  const { url, ...request } = requestOf(form);
  buttons.forEach((button) => { button.disabled = true; });
  const start = performance.now();
  try {
    const response = await fetch(url, request);
    const text = await response.text();
    const took = Math.round(performance.now() - start);
    const limit = response.headers.get('ratelimit-remaining');
    status.className = 'status ' + (response.ok ? 'good' : 'bad');
    status.textContent = response.status + ' ';
    const note = document.createElement('span');
    note.textContent = took + ' ms, ' + text.length + ' characters' + (limit === null ? '' : ', ' + limit + ' requests left');
    status.append(note);
    showJson(result.querySelector('pre'), text);
    const token = /"nextPageToken":"([0-9a-f-]{36})"/.exec(text)?.[1];
    more.hidden = token === undefined;
    more.dataset.token = token ?? '';
  } catch (error) {
    status.className = 'status bad';
    status.textContent = 'No answer: ' + error.message;
    result.querySelector('pre').textContent = '';
  }
  result.hidden = false;
  status.scrollIntoView({ block: 'nearest' });
  buttons.forEach((button) => { button.disabled = false; });
}

for (const form of forms) {
  form.addEventListener('input', () => showCurl(form));
  form.addEventListener('submit', (event) => { event.preventDefault(); send(form); });
  const more = form.querySelector('.more');
  more.addEventListener('click', () => {
    form.querySelector('[name=pageToken]').value = more.dataset.token;
    showCurl(form);
    send(form);
  });
  showCurl(form);
}
key.form.addEventListener('submit', (event) => event.preventDefault());
key.addEventListener('input', () => forms.forEach(showCurl));

document.getElementById('filter').addEventListener('input', ({ target }) => {
  const words = target.value.toLowerCase().split(' ').filter((word) => word !== '');
  for (const card of all('.card')) {
    card.hidden = !words.every((word) => card.dataset.text.includes(word));
    all('[data-find="' + card.id + '"]').forEach((item) => { item.hidden = card.hidden; });
  }
  for (const group of all('.group, nav section')) group.hidden = all('.card, [data-find]', group).every((item) => item.hidden);
});

function openNamed() {
  const card = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (card === null) return;
  card.open = true;
  card.scrollIntoView();
}
addEventListener('hashchange', openNamed);
openNamed();
`;
