import { hash } from 'node:crypto';
import type { Handler, HttpResponse } from '../http/message.ts';
import { type Html, html, unescapedHtml } from './html.ts';
import type { OpenApiDocument, OpenApiOperation, OpenApiParameter, OpenApiReference, ResponseObject, SchemaObject } from './openapi.ts';
import { createSchemaWriter, type SchemaWriter } from './reference-schema.ts';
import { referenceScript } from './reference-script.ts';
import { referenceStyle } from './reference-style.ts';
import { errorResponse, jsonHeaders } from './response.ts';

/** Handlers of the API reference: the OpenAPI document (`/api-json`) and a page for people (`/api`). Each is built at the first request. */
export function referenceHandlers(document: () => OpenApiDocument): { readonly page: Handler; readonly json: Handler } {
  return {
    page: respondOnce(() => ({ status: 200, headers: pageHeaders, body: Buffer.from(referencePage(document())) })),
    json: respondOnce(() => ({ status: 200, headers: jsonHeaders, body: Buffer.from(JSON.stringify(document())) })),
  };
}

function respondOnce(make: () => HttpResponse): Handler {
  let made: HttpResponse | undefined;
  return ({ method, path }) => {
    if (method !== 'GET' && method !== 'HEAD') return errorResponse(`Cannot ${method.slice(0, 20)} ${path}`, { status: 404 }, jsonHeaders);
    made ??= make();
    return made;
  };
}

/** The HTML page of the API reference. It loads nothing else, and can send requests to this server. */
export function referencePage(document: OpenApiDocument): string {
  const { info, tags, paths } = document;
  const write = createSchemaWriter(document);
  const placed = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): PlacedOperation => ({ path, method: method.toUpperCase(), operation })),
  );
  const groups = tags.map(({ name }) => ({ name, members: placed.filter(({ operation }) => operation.tags.includes(name)) }));
  return html`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${info.title}</title>
<style>${unescapedHtml(referenceStyle)}</style>
<header>
  <h1>${unescapedHtml(logo)} ${info.title} <small>${info.version}</small></h1>
  <form class="key"><label for="key">API key</label><input id="key" type="password" autocomplete="off" placeholder="x-service-api-key"></form>
  <a href="/api-json">OpenAPI 3.1</a>
</header>
<nav aria-label="Operations">
  <input id="filter" type="search" placeholder="Filter" aria-label="Filter operations">
  ${groups.map(({ name, members }) => html`<section><h2>${name}</h2><ul>${members.map(navItem)}</ul></section>`)}
</nav>
<main>
  <p class="lead">${info.description}</p>
  ${groups.map(({ name, members }) => html`<section class="group"><h2>${name}</h2>${members.map((each) => card(each, document, write))}</section>`)}
</main>
<script>${unescapedHtml(referenceScript)}</script>
</html>
`.html;
}

type PlacedOperation = { readonly path: string; readonly method: string; readonly operation: OpenApiOperation };

/** The logo: a block of ice. */
const logo =
  '<svg viewBox="0 0 24 24" width="22" height="22" aria-hidden="true"><path d="M4 20 7 5l6-3 7 6-2 12z" fill="none" stroke="currentColor" stroke-width="1.6" stroke-linejoin="round"/><path d="m7 5 5 5 1 10M12 10l8-2" fill="none" stroke="currentColor" stroke-width="1.2"/></svg>';

const navItem = ({ method, operation }: PlacedOperation): Html =>
  html`<li data-find="${operation.operationId}"><a href="#${operation.operationId}"><b class="${method}">${method}</b> <span>${operation.summary}</span></a></li>`;

function card({ path, method, operation }: PlacedOperation, document: OpenApiDocument, write: SchemaWriter): Html {
  const { operationId, summary, description, parameters, requestBody, responses } = operation;
  const body = requestBody?.content['application/json']?.schema;
  const answers = Object.entries(responses).map(([status, response]) => [status, resolveResponse(response, document)] as const);
  const [type, { schema: good } = { schema: {} }] =
    Object.entries(answers.find(([status]) => status === '200')?.[1].content ?? {})[0] ?? [];
  const shape = write.outline(good);
  return html`<details class="card" id="${operationId}" data-text="${`${method} ${path} ${summary} ${operationId}`.toLowerCase()}">
<summary><b class="${method}">${method}</b> <span class="path">${pathPieces(path)}</span> <span class="what">${summary}</span></summary>
<div class="columns"><div>
${description === undefined ? undefined : html`<p>${description}</p>`}
<form data-method="${method}" data-path="${path}">
${parameters.length + (body === undefined ? 0 : 1) === 0 ? undefined : html`<h3>Parameters</h3>`}
${parameters.map((parameter) => parameterField(parameter, operationId, write))}
${body === undefined ? undefined : bodyField(body, operationId, write)}
<div class="go"${type === 'text/event-stream' ? html` hidden` : undefined}><button>Send</button><button type="button" class="more" hidden>Next page</button></div>
<pre class="curl" aria-label="The same with curl"></pre>
</form>
<div class="result" aria-live="polite" hidden><p class="status"></p><pre></pre></div>
</div><div>
<h3>Response</h3>
${shape.html === '' ? html`<p class="type">${write.typeName(good)}</p>` : shape}
<details class="sample"><summary>Sample</summary><pre>${write.sample(good)}</pre></details>
<h3>Errors</h3>
<dl>${answers.filter(([status]) => status !== '200').map(([status, { description }]) => html`<dt>${status}</dt><dd>${description}</dd>`)}</dl>
</div></div>
</details>
`;
}

const pathPieces = (path: string): Html[] =>
  path
    .split(/(\{\w+\}|\/)/)
    .map((piece) => (piece.startsWith('{') ? html`<em>${piece}</em>` : piece === '/' ? html`/<wbr>` : html`${piece}`));

function resolveResponse(response: ResponseObject | OpenApiReference, { components }: OpenApiDocument): ResponseObject {
  if (!('$ref' in response)) return response;
  return components.responses[response.$ref.slice(response.$ref.lastIndexOf('/') + 1)] as ResponseObject;
}

function parameterField(
  { name, in: place, required, description, schema }: OpenApiParameter,
  operationId: string,
  write: SchemaWriter,
): Html {
  const id = `${operationId}-${name}`;
  const note = [place, required ? 'required' : '', boundsOf(schema)].filter((word) => word !== '').join(', ');
  return html`<div class="field"><label for="${id}"><code>${name}</code> <span class="type">${note}</span></label>
${inputControl(schema, { id, name, place, required }, write)}
${description === undefined ? undefined : html`<p>${description}</p>`}</div>
`;
}

type Control = { readonly id: string; readonly name: string; readonly place: string; readonly required: boolean };

function inputControl(schema: SchemaObject, { id, name, place, required }: Control, write: SchemaWriter): Html {
  const items = schema.items as SchemaObject | undefined;
  const choices = (items?.enum ?? schema.enum ?? (schema.type === 'boolean' ? ['true', 'false'] : undefined)) as
    | readonly string[]
    | undefined;
  const example = write.example(schema);
  const common = html`id="${id}" name="${name}" data-in="${place}"${required ? html` required` : undefined}`;
  if (choices !== undefined) {
    const options = choices.map((choice) => html`<option${choice === example ? html` selected` : undefined}>${choice}</option>`);
    if (items !== undefined) return html`<select multiple size="4" ${common}>${options}</select>`;
    const blank = required
      ? undefined
      : html`<option value="">${schema.default === undefined ? '' : `${schema.default} (default)`}</option>`;
    return html`<select ${common}>${blank}${options}</select>`;
  }
  const hint = example !== '' ? example : schema.default === undefined ? '' : String(schema.default);
  return html`<input ${common} inputmode="${schema.type === 'integer' ? 'numeric' : 'text'}" value="${required ? example : ''}" placeholder="${hint}">`;
}

/** `integer, 1 to 100` */
function boundsOf({ type, format, minimum, maximum }: SchemaObject): string {
  const range = maximum !== undefined ? `, ${minimum ?? 0} to ${maximum}` : minimum !== undefined ? `, from ${minimum}` : '';
  return `${format ?? type ?? ''}${range}`;
}

const bodyField = (schema: SchemaObject, operationId: string, write: SchemaWriter): Html =>
  html`<div class="field"><label for="${operationId}-body"><code>body</code> <span class="type">JSON, required</span></label>
<textarea id="${operationId}-body" data-in="body" rows="4" spellcheck="false">${write.sample(schema)}</textarea>${write.outline(schema)}</div>
`;

const cspHash = (text: string): string => `'sha256-${hash('sha256', text, 'base64')}'`;

/** The content security policy allows only the script and style of this page, and requests to this server. */
const pageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'x-content-type-options': 'nosniff',
  'content-security-policy': [
    "default-src 'none'",
    `script-src ${cspHash(referenceScript)}`,
    `style-src ${cspHash(referenceStyle)}`,
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
} as const;
