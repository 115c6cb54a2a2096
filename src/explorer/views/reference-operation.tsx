import { boundsText, exampleText, sampleJson, typeName } from '../reference/reference-schema.ts';
import type { OpenApi, Operation, Parameter, ResponseDescription, Schema } from '../reference/reference-types.ts';
import { curlText } from '../text/curl-text.ts';
import { ReferenceCard, TryForm } from './reference-card.tsx';
import { hasProperties, SchemaOutline } from './schema-outline.tsx';

export type PlacedOperation = { readonly path: string; readonly method: string; readonly operation: Operation };

/** One route of the Data or Metrics API. */
export function OperationCard({ placed, document, origin }: { placed: PlacedOperation; document: OpenApi; origin: string }) {
  const { path, method, operation } = placed;
  const { schemas } = document.components;
  const { operationId: id, summary, description, parameters, requestBody, responses } = operation;
  const body = requestBody?.content['application/json']?.schema;
  const answers = Object.entries(responses).map(([status, response]) => [status, resolveResponse(response, document)] as const);
  const [type, { schema: good } = { schema: {} as Schema }] =
    Object.entries(answers.find(([status]) => status === '200')?.[1].content ?? {})[0] ?? [];
  const sample = body && sampleJson(schemas, body);
  return (
    <ReferenceCard id={id} word={method} title={<PathText path={path} />} about={summary} find={`${method} ${path} ${summary} ${id}`}>
      <div>
        {description !== undefined && <p>{description}</p>}
        <TryForm
          method={method}
          path={path}
          curl={curlText({
            url: origin + exampleUrl(path, parameters, document),
            headers: sample === undefined ? {} : { 'content-type': 'application/json' },
            body: sample,
          })}
          isStream={type === 'text/event-stream'}
          needsKey={operation.security.length > 0}
        >
          {parameters.length > 0 && <h3>Parameters</h3>}
          {parameters.map((parameter) => (
            <ParameterField parameter={parameter} document={document} operationId={id} />
          ))}
          {body !== undefined && (
            <div class="field">
              <label for={`${id}-body`}>
                <code>body</code> <span class="quiet">JSON, required</span>
              </label>
              <textarea id={`${id}-body`} data-in="body" rows={4} spellcheck={false}>
                {sample}
              </textarea>
              <SchemaOutline schemas={schemas} schema={body} />
            </div>
          )}
        </TryForm>
      </div>
      <div>
        <h3>Response</h3>
        {hasProperties(schemas, good) ? <SchemaOutline schemas={schemas} schema={good} /> : <p class="quiet">{typeName(good)}</p>}
        <details>
          <summary>Sample</summary>
          <pre class="well">{sampleJson(schemas, good)}</pre>
        </details>
        <h3>Errors</h3>
        <dl class="statuses">
          {answers
            .filter(([status]) => status !== '200')
            .map(([status, { description: meaning }]) => (
              <div>
                <dt>{status}</dt>
                <dd>{meaning}</dd>
              </div>
            ))}
        </dl>
      </div>
    </ReferenceCard>
  );
}

/** A path that can break after every slash, with its parameters marked. */
const PathText = ({ path }: { path: string }) => (
  <>
    {path.split(/(\{\w+\}|\/)/).map((piece) =>
      piece.startsWith('{') ? (
        <em>{piece}</em>
      ) : piece === '/' ? (
        <>
          /<wbr />
        </>
      ) : (
        piece
      ),
    )}
  </>
);

function resolveResponse(response: ResponseDescription, { components }: OpenApi): ResponseDescription {
  return response.$ref === undefined ? response : (components.responses[response.$ref.slice(response.$ref.lastIndexOf('/') + 1)] ?? {});
}

/** The URL with the examples of the required parameters. */
function exampleUrl(path: string, parameters: readonly Parameter[], { components: { schemas } }: OpenApi): string {
  const query = new URLSearchParams();
  let url = path;
  for (const { name, in: place, required, schema } of parameters) {
    const example = exampleText(schemas, schema);
    if (!required || example === '') continue;
    if (place === 'path') url = url.replace(`{${name}}`, encodeURIComponent(example));
    else query.append(name, example);
  }
  const text = query.toString();
  return text === '' ? url : `${url}?${text}`;
}

function ParameterField({ parameter, document, operationId }: { parameter: Parameter; document: OpenApi; operationId: string }) {
  const { name, in: place, required, description, schema } = parameter;
  const id = `${operationId}-${name}`;
  const note = [place, required ? 'required' : '', boundsText(schema)].filter((word) => word !== '').join(', ');
  return (
    <div class="field">
      <label for={id}>
        <code>{name}</code> <span class="quiet">{note}</span>
      </label>
      <Control id={id} parameter={parameter} document={document} />
      {description !== undefined && <p class="note">{description}</p>}
    </div>
  );
}

function Control({ id, parameter, document }: { id: string; parameter: Parameter; document: OpenApi }) {
  const { name, in: place, required, schema } = parameter;
  const choices = schema.items?.enum ?? schema.enum ?? (schema.type === 'boolean' ? ['true', 'false'] : undefined);
  const example = exampleText(document.components.schemas, schema);
  const common = { id, name, required, 'data-in': place };
  if (choices !== undefined) {
    const options = choices.map((choice) => <option selected={required && choice === example}>{String(choice)}</option>);
    if (schema.items !== undefined)
      return (
        <select multiple size={4} {...common}>
          {options}
        </select>
      );
    return (
      <select {...common}>
        {!required && <option value="">{schema.default === undefined ? '' : `${schema.default} (default)`}</option>}
        {options}
      </select>
    );
  }
  const hint = example !== '' ? example : schema.default === undefined ? '' : String(schema.default);
  return (
    <input
      {...common}
      class="mono"
      inputMode={schema.type === 'integer' ? 'numeric' : 'text'}
      value={required ? example : ''}
      placeholder={hint}
    />
  );
}
