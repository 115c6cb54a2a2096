import { curlText, type ExampleRequest, markMissing } from '../text/curl-text.ts';
import { formatJson } from '../text/json-text.ts';
import { apiKey, devHeaders, keepApiKey, keepDevToken, rpcHeaders } from './payload.ts';

/** The script of the API reference: the filter of the list, and the form of a method or route. The text of the pages needs no script. */

const all = <T extends Element>(query: string, from: ParentNode = document): T[] => [...from.querySelectorAll<T>(query)];
type Field = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

/** The request that a form describes. Throws if the parameters of a method are not JSON. */
function requestOf(form: HTMLFormElement): ExampleRequest {
  const { try: method = 'GET', path = '', rpc } = form.dataset;
  if (rpc !== undefined) {
    const text = all<HTMLTextAreaElement>('[data-in=params]', form)[0]?.value.trim() ?? '';
    if (text !== '') JSON.parse(text);
    // The text is inserted as it is: parsing would change integers above 2^53.
    const body = `{"jsonrpc":"2.0","id":1,"method":${JSON.stringify(rpc)}${text === '' ? '' : `,"params":${text}`}}`;
    return {
      url: location.origin + path,
      method,
      headers: rpcHeaders(path),
      body,
    };
  }
  let url = path;
  const query = new URLSearchParams();
  const headers: Record<string, string> = {};
  for (const field of all<Field>('[data-in]', form)) {
    const values =
      field instanceof HTMLSelectElement && field.multiple
        ? [...field.selectedOptions].map((option) => option.value)
        : [field.value.trim()];
    for (const value of values.filter((one) => one !== ''))
      if (field.dataset.in === 'path') url = url.replace(`{${field.name}}`, encodeURIComponent(value));
      else if (field.dataset.in === 'query') query.append(field.name, value);
      else if (field.dataset.in === 'header') headers[field.name] = value;
  }
  const body = all<HTMLTextAreaElement>('[data-in=body]', form)[0]?.value;
  const key = form.dataset.needsKey === undefined ? '' : apiKey();
  if (key !== '') headers['x-service-api-key'] = key;
  if (body !== undefined) headers['content-type'] = 'application/json';
  const text = query.toString();
  return {
    url: location.origin + markMissing(url) + (text === '' ? '' : `?${text}`),
    method,
    headers,
    body,
  };
}

/** Writes the command of a form. Key and token are not shown: the command is for sharing. */
function showCurl(form: HTMLFormElement): void {
  const shown = all<HTMLElement>('[data-curl]', form)[0];
  const copy = all<HTMLElement>('[data-copy]', form)[0];
  if (shown === undefined || copy === undefined) return;
  try {
    const { headers, ...request } = requestOf(form);
    const safe = { ...headers };
    if ('x-service-api-key' in safe) safe['x-service-api-key'] = 'YOUR_KEY';
    if ('authorization' in safe) safe.authorization = 'Bearer YOUR_TOKEN';
    shown.textContent = curlText({ ...request, headers: safe });
    copy.dataset.copy = shown.textContent;
  } catch {
    shown.textContent = 'The parameters are not JSON.';
  }
}

async function send(form: HTMLFormElement): Promise<void> {
  const answer = all<HTMLElement>('.answer', form)[0] as HTMLElement;
  const status = answer.children[0] as HTMLElement;
  const shown = answer.children[1] as HTMLElement;
  const [next, remedy] = all<HTMLElement>('[data-fill]', form) as [HTMLElement, HTMLElement];
  const buttons = all<HTMLButtonElement>('button', form);
  const started = performance.now();
  for (const button of buttons) button.disabled = true;
  const show = (isGood: boolean, line: string, text: string): void => {
    status.className = isGood ? '' : 'bad-text';
    status.textContent = line;
    shown.textContent = text;
  };
  try {
    const { url, method, headers, body } = requestOf(form);
    const response = await fetch(url, { method, headers, body });
    const text = await response.text();
    const left = response.headers.get('ratelimit-remaining');
    const took = `${Math.round(performance.now() - started)} ms, ${text.length} characters`;
    const needsKey = response.status === 401 ? '; enter an API key above' : '';
    show(response.ok, `${response.status}, ${took}${left === null ? '' : `, ${left} requests left`}${needsKey}`, formatJson(text));
    const token = /"nextPageToken":"([0-9a-f-]{36})"/.exec(text)?.[1];
    next.hidden = token === undefined;
    next.dataset.value = token ?? '';
    offerLimit(remedy, response.status === 400 ? text : '');
  } catch (error) {
    show(false, error instanceof SyntaxError ? 'The parameters are not JSON.' : 'The server does not answer.', '');
  }
  answer.hidden = false;
  for (const button of buttons) button.disabled = false;
}

/** Offers the limit that a refused value exceeds: `Use 100`. */
function offerLimit(button: HTMLElement, refusal: string): void {
  const [, name = '', limit = ''] = /"(\w+) must not be (?:greater|less) than (-?\d+)"/.exec(refusal) ?? [];
  button.hidden = name === '';
  button.dataset.fill = name;
  button.dataset.value = limit;
  button.textContent = `Use ${limit}`;
}

/** Shows the lines that have all the words, in their name, path or summary. */
function filter(text: string): void {
  const words = text
    .toLowerCase()
    .split(' ')
    .filter((word) => word !== '');
  let shown = 0;
  for (const group of all<HTMLElement>('.reference-group')) {
    const lines = all<HTMLElement>('.reference-line', group);
    for (const line of lines) {
      const found = `${group.children[0]?.textContent} ${line.textContent}`.toLowerCase();
      line.hidden = !words.every((word) => found.includes(word));
    }
    const left = lines.filter((line) => !line.hidden).length;
    group.hidden = left === 0;
    shown += left;
    for (const item of all<HTMLElement>(`[data-link="${CSS.escape(group.id)}"]`)) item.hidden = group.hidden;
  }
  for (const none of all<HTMLElement>('.no-match')) none.hidden = shown > 0;
}

/** The forms whose requests carry the key or the token of this tab. */
const secretForms = (): HTMLFormElement[] => all('form[data-try][data-needs-key], form[data-try][data-path="/ext/dev"]');

/** Goes on to the page of the method or route that the URL of the list names, as in `/api#avm.getTx`: links of earlier versions lead there. */
function openNamed(): void {
  const line = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  const link = line?.matches('.reference-line') ? line.querySelector('a') : null;
  if (link) location.replace(link.href);
}

document.addEventListener('input', ({ target }) => {
  if (!(target instanceof HTMLElement)) return;
  if (target.id === 'filter') filter((target as HTMLInputElement).value);
  const form = target.closest<HTMLFormElement>('form[data-try]');
  if (form !== null) showCurl(form);
});
document.addEventListener('submit', (event) => {
  const form = event.target instanceof HTMLFormElement ? event.target : undefined;
  if (form?.dataset.try !== undefined) {
    event.preventDefault();
    void send(form);
  }
  if (form?.dataset.keyForm !== undefined) {
    event.preventDefault();
    (form.dataset.keyForm === 'token' ? keepDevToken : keepApiKey)(String(new FormData(form).get('key')));
    form.reset();
    for (const one of secretForms()) showCurl(one);
  }
});
document.addEventListener('click', ({ target }) => {
  const button = target instanceof Element ? target.closest<HTMLElement>('[data-fill]') : null;
  const form = button?.closest('form');
  const field = form && all<Field>('[data-in]', form).find(({ name }) => name === button?.dataset.fill);
  if (button === null || !form || !field) return;
  field.value = button.dataset.value ?? '';
  showCurl(form);
  void send(form);
});
addEventListener('hashchange', openNamed);
if (apiKey() !== '' || devHeaders().authorization !== undefined) for (const form of secretForms()) showCurl(form);
openNamed();
