import { methodCode } from '../reference/example-code.ts';
import { exampleParams, methodRequest, servicePath } from '../reference/example-request.ts';
import type { ReferenceGroup } from '../reference/reference-entries.ts';
import { boundsText, resolveSchema, type Schemas, typeName } from '../reference/reference-schema.ts';
import type { RpcMethod } from '../reference/reference-types.ts';
import { curlText } from '../text/curl-text.ts';
import { AnswerOutline, ExampleAnswer, ExampleCodes, ParameterTable, ReferencePage, TryForm } from './reference-parts.tsx';

type MethodProps = { readonly method: RpcMethod; readonly group: ReferenceGroup; readonly schemas: Schemas; readonly origin: string };

/** The page of a method of the Node RPC. */
export function MethodPage({ method, group, schemas, origin }: MethodProps) {
  const { name, description, params, result, examples } = method;
  const path = servicePath(method);
  const outcome = examples[0]?.result;
  const given = exampleParams(method);
  const shown = given === undefined ? '' : JSON.stringify(given, undefined, 2);
  const rows = params.map((one) => ({
    name: one.name,
    required: one.required === true,
    type: boundsText(one.schema) === '' ? typeName(one.schema) : [typeName(one.schema), rangeOf(boundsText(one.schema))].join(''),
    description: resolveSchema(schemas, one.schema).description,
    schema: one.schema,
  }));
  return (
    <ReferencePage group={group} id={name}>
      <p class="endpoint mono">
        POST {origin}
        {path}
      </p>
      {description !== undefined && <p>{description}</p>}
      <h2>Parameters</h2>
      <ParameterTable rows={rows} schemas={schemas} />
      <h2>Example</h2>
      <ExampleCodes codes={methodCode(method, origin)} />
      <ExampleAnswer title={outcome?.name === 'error' ? 'Its answer: an error' : 'Its answer'} text={answerText(outcome)} />
      <h2>Result</h2>
      <AnswerOutline schema={result.schema} schemas={schemas} />
      <h2>Errors</h2>
      <p>
        The status is 200 and the answer has <code>error</code> in place of <code>result</code>: <code>code</code>, <code>message</code> and{' '}
        <code>data</code> with a stable code.
      </p>
      <p>
        <a href="/docs/reference/errors.html">All errors and what to do</a>
      </p>
      <TryForm method="POST" path={path} rpc={name} curl={curlText(methodRequest(method, origin))}>
        <div class="field">
          <label for="try-params">
            <code>params</code> <span class="quiet">JSON</span>
          </label>
          <textarea id="try-params" data-in="params" rows={Math.min(12, 1 + shown.split('\n').length)} spellcheck={false}>
            {shown}
          </textarea>
        </div>
      </TryForm>
    </ReferencePage>
  );
}

/** The range of `integer, 1 to 100`: `, 1 to 100`. */
const rangeOf = (bounds: string): string => (bounds.includes(',') ? bounds.slice(bounds.indexOf(',')) : '');

/** The answer as JSON. A value that the document has as JSON text is shown unchanged. */
function answerText(outcome: RpcMethod['examples'][number]['result'] | undefined): string {
  if (outcome === undefined) return '';
  const value =
    typeof outcome.value === 'string' && /^[[{"]/.test(outcome.value) ? outcome.value : JSON.stringify(outcome.value, undefined, 2);
  return `{\n  "jsonrpc": "2.0",\n  "${outcome.name}": ${value.replaceAll('\n', '\n  ')},\n  "id": 1\n}`;
}
