import { resolveSchema, type Schemas, typeName } from '../reference/reference-schema.ts';
import type { OpenApi, OpenRpc, RpcMethod, Schema } from '../reference/reference-types.ts';
import { curlText } from '../text/curl-text.ts';
import { ReferenceCard, TryForm } from './reference-card.tsx';
import { OperationCard, type PlacedOperation } from './reference-operation.tsx';

/** All routes and methods of a port, with a list of their groups: the closed cards are the index. Rendered on the server only; the script works on the HTML. */
export function ReferenceBody({ openApi, openRpc, origin }: { openApi: OpenApi; openRpc: OpenRpc | undefined; origin: string }) {
  const placed = Object.entries(openApi.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): PlacedOperation => ({ path, method: method.toUpperCase(), operation })),
  );
  const routeGroups = openApi.tags.map(({ name }) => ({
    name,
    members: placed.filter(({ operation }) => operation.tags.includes(name)),
  }));
  const methods = openRpc?.methods ?? [];
  const services = [...new Set(methods.map(({ tags }) => tags[0]?.name ?? ''))].map((name) => ({
    name,
    members: methods.filter(({ tags }) => tags[0]?.name === name),
  }));
  return (
    <div class="reference">
      <nav class="reference-nav" aria-label="Routes and methods">
        <ul>
          {[...services.map(({ name, members }) => ({ name: serviceTitle(name), members })), ...routeGroups].map(({ name, members }) => (
            <li data-link={groupId(name)}>
              <a href={`#${groupId(name)}`}>
                {name} <small>{members.length}</small>
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <div>
        {services.map(({ name, members }) => (
          <section class="reference-group" id={groupId(serviceTitle(name))}>
            <h2>{serviceTitle(name)}</h2>
            {members.map((method) => (
              <MethodCard method={method} schemas={openRpc?.components.schemas ?? {}} origin={origin} />
            ))}
          </section>
        ))}
        {routeGroups.map(({ name, members }) => (
          <section class="reference-group" id={groupId(name)}>
            <h2>{name}</h2>
            {members.map((one) => (
              <OperationCard placed={one} document={openApi} origin={origin} />
            ))}
          </section>
        ))}
        <p class="panel message no-match" hidden>
          No route or method has all these words.
        </p>
      </div>
    </div>
  );
}

const serviceTitle = (name: string): string => `Node RPC: ${name}`;

/** The anchor of a group. */
const groupId = (name: string): string => `group-${name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}`;

/** One method of the Node RPC: parameters, an example with its result, and a form that calls it. */
function MethodCard({ method, schemas, origin }: { method: RpcMethod; schemas: Schemas; origin: string }) {
  const { name, servers, summary, description, params, paramStructure, examples } = method;
  const path = pathOf(servers[0]?.url ?? origin);
  const example = examples[0];
  const given =
    paramStructure === 'by-name'
      ? Object.fromEntries((example?.params ?? []).map(({ name: field, value }) => [field, value]))
      : example?.params.map(({ value }) => value);
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: name, params: given });
  const isError = example?.result.name === 'error';
  return (
    <ReferenceCard id={name} word="RPC" title={name} about={path} find={`rpc ${name} ${path} ${params.map((one) => one.name).join(' ')}`}>
      <div>
        <p class="note">{[summary, description].filter(Boolean).join('. ')}</p>
        <h3>Parameters</h3>
        {params.length === 0 ? <p class="quiet">none</p> : <TypeList fields={params} schemas={schemas} />}
        <TryForm
          method="POST"
          path={path}
          rpc={name}
          curl={curlText({ url: origin + path, headers: { 'content-type': 'application/json' }, body })}
        >
          <div class="field">
            <label for={`${name}-params`}>
              <code>params</code> <span class="quiet">JSON</span>
            </label>
            <textarea id={`${name}-params`} data-in="params" rows={Math.min(6, 1 + params.length)} spellcheck={false}>
              {given === undefined ? '' : JSON.stringify(given, undefined, 1)}
            </textarea>
          </div>
        </TryForm>
      </div>
      <div>
        <h3>{isError ? 'Error of the example' : 'Result of the example'}</h3>
        <pre class="well">{resultText(example?.result.value)}</pre>
      </div>
    </ReferenceCard>
  );
}

type Field = { readonly name: string; readonly required?: boolean; readonly schema: Schema };

const TypeList = ({ fields, schemas }: { fields: readonly Field[]; schemas: Schemas }) => (
  <ul class="outline">
    {fields.map(({ name, required, schema }) => {
      const { properties, required: inner = [], description } = resolveSchema(schemas, schema);
      return (
        <li>
          <code>{name}</code>
          {required !== true && <i>optional</i>} <span class="quiet">{typeName(schema)}</span>
          {description !== undefined && <> {description}</>}
          {properties !== undefined && (
            <TypeList
              fields={Object.entries(properties).map(([key, one]) => ({ name: key, required: inner.includes(key), schema: one }))}
              schemas={schemas}
            />
          )}
        </li>
      );
    })}
  </ul>
);

/** The path of a URL. */
const pathOf = (url: string): string => new URL(url).pathname;

/** A value that the document has as JSON text is shown unchanged. */
const resultText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value, undefined, 1));
