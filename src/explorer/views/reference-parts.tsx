import type { ComponentChildren } from 'preact';
import type { ExampleCode } from '../reference/example-code.ts';
import type { ReferenceGroup } from '../reference/reference-entries.ts';
import { resolveSchema, type Schemas, typeName } from '../reference/reference-schema.ts';
import type { Schema } from '../reference/reference-types.ts';
import { hasProperties, SchemaOutline } from './schema-outline.tsx';

/** The frame of the page of a method or route: its text, and after it the links to the others of its group. */
export const ReferencePage = ({ group, id, children }: { group: ReferenceGroup; id: string; children: ComponentChildren }) => (
  <div class="reference">
    <nav class="reference-nav" aria-label={group.name}>
      <h2>{group.name}</h2>
      <ul>
        {group.entries.map((one) => (
          <li>
            <a href={`/api/${one.page}`} aria-current={one.id === id ? 'page' : undefined}>
              {one.id}
            </a>
          </li>
        ))}
      </ul>
    </nav>
    <div class="reference-entry">{children}</div>
  </div>
);

type ParameterRow = {
  readonly name: string;
  /** Where it is: `path`, `query`, `body`; undefined for a method. */
  readonly place?: string;
  readonly required: boolean;
  /** Type and bounds. */
  readonly type: string;
  readonly description: string | undefined;
  /** Its properties are listed below it. */
  readonly schema: Schema;
};

/** The parameters of a method or route. */
export function ParameterTable({ rows, schemas }: { rows: readonly ParameterRow[]; schemas: Schemas }) {
  if (rows.length === 0) return <p class="quiet">It takes no parameters.</p>;
  // Names and types of some methods say everything: their table has no empty column.
  const hasMeanings = rows.some(
    ({ description, schema }) => description !== undefined || schema.default !== undefined || hasProperties(schemas, schema),
  );
  return (
    <div class="panel">
      <table class="parameters">
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">Type</th>
            {hasMeanings && <th scope="col">Meaning</th>}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ name, place, required, type, description, schema }) => (
            <tr>
              <td>
                <code>{name}</code>
                <small>{[place, required ? 'required' : 'optional'].filter(Boolean).join(', ')}</small>
              </td>
              <td>{type}</td>
              {hasMeanings && (
                <td>
                  {description}
                  {schema.default !== undefined && <small>Default: {String(schema.default)}</small>}
                  {hasProperties(schemas, schema) && <SchemaOutline schemas={schemas} schema={schema} />}
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** The properties of an answer, or its type if it has none. */
export const AnswerOutline = ({ schema, schemas }: { schema: Schema; schemas: Schemas }) =>
  hasProperties(schemas, schema) ? (
    <SchemaOutline schemas={schemas} schema={schema} />
  ) : (
    <p class="quiet">{typeName(resolveSchema(schemas, schema))}</p>
  );

/** The example in each language; one is open at a time, also without script. */
export const ExampleCodes = ({ codes }: { codes: readonly ExampleCode[] }) => (
  <div class="panel codes">
    {codes.map(({ language, code }, at) => (
      <details name="example" open={at === 0} data-language={language}>
        <summary>{language}</summary>
        <div class="code">
          <button type="button" class="with-script" data-copy={code} aria-label={`Copy the example for ${language}`}>
            Copy
          </button>
          <pre class="well">{code}</pre>
        </div>
      </details>
    ))}
  </div>
);

/** The answer to the example; a long one is folded. */
export const ExampleAnswer = ({ title, text }: { title: string; text: string }) => (
  <details class="panel example-answer" open={text.split('\n').length <= maxOpenLines}>
    <summary>{title}</summary>
    <pre class="well">{text}</pre>
  </details>
);

const maxOpenLines = 30;

type TryProps = {
  readonly method: string;
  readonly path: string;
  /** The command for the example, which the script updates with the form. */
  readonly curl: string;
  /** The name of a JSON-RPC method. */
  readonly rpc?: string;
  readonly needsKey?: boolean;
  readonly children?: ComponentChildren;
};

/** A form that sends the request to this node. Only for readers with script: without it the examples show the command for curl. */
export const TryForm = ({ method, path, curl, rpc, needsKey = false, children }: TryProps) => (
  <section class="try with-script">
    <h2>Try it on this node</h2>
    <form class="panel" data-try={method} data-path={path} data-rpc={rpc} data-needs-key={needsKey ? '' : undefined}>
      {children}
      <div class="buttons">
        <button type="submit" class="primary">
          Send
        </button>
        <button type="button" data-fill="pageToken" hidden>
          Next page
        </button>
        <button type="button" data-fill="" hidden />
        <button type="button" data-copy={curl}>
          Copy as curl
        </button>
      </div>
      <details>
        <summary>The command</summary>
        <pre class="well" data-curl>
          {curl}
        </pre>
      </details>
      <div class="answer" hidden>
        <p role="status" />
        <pre class="well" />
      </div>
    </form>
  </section>
);
