import { routeCode } from '../reference/example-code.ts';
import { bodySchema, isStream, routeRequest } from '../reference/example-request.ts';
import type { ReferenceGroup } from '../reference/reference-entries.ts';
import { boundsText, exampleText, sampleJson, typeName } from '../reference/reference-schema.ts';
import type { OpenApi, Operation, Parameter, ResponseDescription, Schema } from '../reference/reference-types.ts';
import { curlText } from '../text/curl-text.ts';
import { AnswerOutline, ExampleAnswer, ExampleCodes, ParameterTable, ReferencePage, TryForm } from './reference-parts.tsx';

type RouteProps = {
  readonly route: { readonly method: string; readonly path: string; readonly operation: Operation };
  readonly group: ReferenceGroup;
  readonly document: OpenApi;
  readonly origin: string;
};

/** The page of a route of the Data or Metrics API. */
export function RoutePage({ route, group, document, origin }: RouteProps) {
  const { path, method, operation } = route;
  const { schemas } = document.components;
  const { operationId: id, description, parameters, responses } = operation;
  const body = bodySchema(operation);
  const request = routeRequest(route, document, origin);
  const answers = Object.entries(responses).map(([status, response]) => ({ status, ...resolveResponse(response, document) }));
  const good = Object.values(answers.find(({ status }) => status.startsWith('2'))?.content ?? {})[0]?.schema ?? {};
  return (
    <ReferencePage group={group} id={id}>
      <p class="endpoint mono">
        {method} <PathText path={path} />
      </p>
      {description !== undefined && <p>{description}</p>}
      <h2>Parameters</h2>
      <ParameterTable rows={[...parameters.map(parameterRow), ...(body === undefined ? [] : [bodyRow(body)])]} schemas={schemas} />
      <h2>Example</h2>
      <ExampleCodes codes={routeCode(operation, request, origin)} />
      <ExampleAnswer title="The form of its answer" text={sampleJson(schemas, good)} />
      <h2>Answer</h2>
      <AnswerOutline schema={good} schemas={schemas} />
      <h2>Errors</h2>
      <dl class="statuses">
        {answers
          .filter(({ status }) => !status.startsWith('2'))
          .map(({ status, description: meaning }) => (
            <div>
              <dt>{status}</dt>
              <dd>{meaning}</dd>
            </div>
          ))}
      </dl>
      {!isStream(operation) && (
        <TryForm method={method} path={path} curl={curlText(request)} needsKey={operation.security.length > 0}>
          {parameters.map((parameter) => (
            <ParameterField parameter={parameter} document={document} />
          ))}
          {body !== undefined && (
            <div class="field">
              <label for="try-body">
                <code>body</code> <span class="quiet">JSON, required</span>
              </label>
              <textarea id="try-body" data-in="body" rows={4} spellcheck={false}>
                {request.body}
              </textarea>
            </div>
          )}
        </TryForm>
      )}
    </ReferencePage>
  );
}

const parameterRow = ({ name, in: place, required, description, schema }: Parameter) => ({
  name,
  place,
  required,
  type: [boundsText(schema), schema.items === undefined && schema.enum === undefined ? '' : typeName(schema)]
    .filter((text) => text !== '')
    .join(' '),
  description,
  schema,
});

const bodyRow = (schema: Schema) => ({ name: 'body', required: true, type: 'JSON', description: schema.description, schema });

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

function ParameterField({ parameter, document }: { parameter: Parameter; document: OpenApi }) {
  const { name, required } = parameter;
  const id = `try-${name}`;
  return (
    <div class="field">
      <label for={id}>
        <code>{name}</code> {required && <span class="quiet">required</span>}
      </label>
      <Control id={id} parameter={parameter} document={document} />
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
