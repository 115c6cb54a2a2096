import { Fault } from '../fault.ts';
import type { BoundRoute } from './dispatch.ts';
import type { Param, Params } from './param.ts';
import { phrases, type RefusalStatus } from './refusal.ts';
import type { Route } from './route.ts';
import { integer, object, type Schema, text } from './schema.ts';

/** An OpenAPI 3.1 document, as far as this server writes one. */
export type Document = {
  readonly openapi: '3.1.0';
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly tags: readonly { readonly name: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, SchemaObject>>;
    readonly responses: Readonly<Record<string, ResponseObject>>;
    readonly headers: Readonly<Record<string, unknown>>;
    readonly securitySchemes: Readonly<Record<string, unknown>>;
  };
};

export type Operation = {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly parameters: readonly Parameter[];
  readonly requestBody?: { readonly required: true; readonly content: Content };
  readonly responses: Readonly<Record<string, ResponseObject | Reference>>;
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
};

export type Parameter = {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly required: boolean;
  readonly description?: string;
  readonly schema: SchemaObject;
  readonly explode?: true;
};

export type ResponseObject = {
  readonly description: string;
  readonly headers?: Readonly<Record<string, Reference>>;
  readonly content: Content;
};

/** A schema of ours in the words of OpenAPI: titled ones are references. */
export type SchemaObject = { readonly [word: string]: unknown };

type Content = { readonly 'application/json': { readonly schema: SchemaObject } };
export type Reference = { readonly $ref: string };

export type DocumentOptions = {
  readonly title: string;
  readonly version: string;
  readonly description: string;
  readonly requireKey: boolean;
  /** Values that this server knows, by the name of a parameter: its network, an address of it. */
  readonly examples: Readonly<Record<string, string>>;
};

/** What the server answers to, told by the very rows that answer. */
export function openApi(routes: readonly Pick<BoundRoute, 'api' | 'row'>[], options: DocumentOptions): Document {
  const { title, version, description, requireKey, examples } = options;
  const { schemas, refer } = createComponents();
  const paths: Record<string, Record<string, Operation>> = {};
  const tags = new Set<string>();
  for (const { api, row } of routes) {
    const tag = `${api === 'data' ? 'Data' : 'Metrics'}: ${row.tag}`;
    tags.add(tag);
    const operations = paths[row.path] ?? {};
    paths[row.path] = operations;
    const parameters = parametersOf(row.params, examples, refer);
    operations[row.method.toLowerCase()] = {
      operationId: row.id,
      tags: [tag],
      summary: row.summary,
      ...(row.description === undefined ? {} : { description: row.description }),
      parameters,
      ...bodyOf(row.params, refer),
      responses: responsesOf(api, row, refer),
      security: securityOf(api, row, requireKey),
    };
  }
  const responses = errorResponses(refer);
  return {
    openapi: '3.1.0',
    info: { title, version, description },
    tags: [...tags].map((name) => ({ name })),
    paths,
    components: { schemas, responses, headers, securitySchemes },
  };
}

type Refer = (schema: Schema) => SchemaObject;

/** Gathers schemas that have a title, each once. */
function createComponents(): { readonly schemas: Record<string, SchemaObject>; readonly refer: Refer } {
  const schemas: Record<string, SchemaObject> = {};
  const sources = new Map<string, string>();

  const written = ({ title: _, example, properties, items, additionalProperties, oneOf, ...words }: Schema): SchemaObject => ({
    ...words,
    ...(example === undefined ? {} : { examples: [example] }),
    ...(properties === undefined ? {} : { properties: mapValues(properties, refer) }),
    ...(items === undefined ? {} : { items: refer(items) }),
    ...(oneOf === undefined ? {} : { oneOf: oneOf.map(refer) }),
    ...(additionalProperties === undefined
      ? {}
      : { additionalProperties: typeof additionalProperties === 'boolean' ? additionalProperties : refer(additionalProperties) }),
  });

  const refer: Refer = (schema) => {
    const { title, description, ...rest } = schema;
    if (title === undefined) return written(schema);
    const source = JSON.stringify(rest);
    const before = sources.get(title);
    if (before !== undefined && before !== source)
      throw new DocumentError(`two schemas are called ${title}`, { code: 'API_SCHEMA_TWICE', title });
    if (before === undefined) {
      sources.set(title, source);
      schemas[title] = {};
      schemas[title] = written(rest);
    }
    return { $ref: `#/components/schemas/${title}`, ...(description === undefined ? {} : { description }) };
  };
  return { schemas, refer };
}

const mapValues = <A, B>(values: Readonly<Record<string, A>>, change: (value: A) => B): Record<string, B> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value)]));

function parametersOf(params: Params, examples: DocumentOptions['examples'], refer: Refer): Parameter[] {
  return Object.entries(params).flatMap(([name, param]) => {
    if (param.in === 'body') return [];
    const example = Object.hasOwn(examples, name) ? examples[name] : param.schema.example;
    const schema = refer(example === undefined ? param.schema : { ...param.schema, example });
    return [
      {
        name,
        in: param.in,
        required: param.required,
        ...describedBy(param),
        schema,
        ...(param.repeated ? { explode: true as const } : {}),
      },
    ];
  });
}

const describedBy = ({ description }: Param<unknown>) => (description === undefined ? {} : { description });

/** The body's parameters are properties of one JSON object. */
function bodyOf(params: Params, refer: Refer): Pick<Operation, 'requestBody'> {
  const inBody = Object.entries(params).filter(([, param]) => param.in === 'body');
  if (inBody.length === 0) return {};
  const schema: Schema = {
    type: 'object',
    properties: Object.fromEntries(inBody.map(([name, param]) => [name, { ...param.schema, ...describedBy(param) }])),
    required: inBody.filter(([, param]) => param.required).map(([name]) => name),
  };
  return { requestBody: { required: true, content: json(refer(schema)) } };
}

const ErrorSchema: Schema = object('Error', {
  message: { oneOf: [text('What went wrong.'), { type: 'array', items: text(), description: 'A sentence for each bad parameter.' }] },
  error: text('The reason phrase of the status.'),
  statusCode: integer('The HTTP status.'),
});

const meanings: Readonly<Record<RefusalStatus, string>> = {
  400: 'A parameter is missing or malformed.',
  401: 'A key is needed, or the one given is not known.',
  403: 'The key does not allow this.',
  404: 'There is no such path or thing.',
  413: 'The body is too large.',
  429: 'The rate limit is reached.',
  500: 'Something went wrong in the server.',
  502: 'The followed node answers nonsense.',
  503: 'Something that the server needs does not answer.',
};

/** Health says whether the server works, to anybody; Metrics knows no keys; only a POST has a body. */
const statusesOf = (api: BoundRoute['api'], row: Route<unknown>): readonly RefusalStatus[] => {
  if (row.open) return [500, 503];
  const ofKeys = api === 'data' ? ([401, 403] as const) : [];
  const ofBodies = row.method === 'POST' ? ([413] as const) : [];
  return [400, ...ofKeys, 404, ...ofBodies, 429, 500, 502, 503];
};

function responsesOf(api: BoundRoute['api'], row: Route<unknown>, refer: Refer): Operation['responses'] {
  const limits = row.open ? {} : { headers: headersNamed(limitHeaders) };
  const responses: Record<string, ResponseObject | Reference> = {
    200: { description: 'The answer.', ...limits, content: json(refer(row.response)) },
  };
  for (const status of statusesOf(api, row)) {
    const failure = row.failures?.[status];
    responses[status] =
      failure === undefined
        ? { $ref: `#/components/responses/${nameOf(status)}` }
        : { description: describedStatus(status), content: json(refer(failure)) };
  }
  return responses;
}

/** The errors that all routes share. */
const errorResponses = (refer: Refer): Record<string, ResponseObject> =>
  Object.fromEntries(
    Object.keys(phrases).map((key) => {
      const status = Number(key) as RefusalStatus;
      const names = status === 429 ? [...limitHeaders, 'ratelimit-reset', 'retry-after'] : limitHeaders;
      return [nameOf(status), { description: describedStatus(status), headers: headersNamed(names), content: json(refer(ErrorSchema)) }];
    }),
  );

const json = (schema: SchemaObject): Content => ({ 'application/json': { schema } });
const nameOf = (status: RefusalStatus): string => phrases[status].replaceAll(' ', '');
const describedStatus = (status: RefusalStatus): string => `${phrases[status]}. ${meanings[status]}`;

const limitHeaders = ['ratelimit-policy', 'ratelimit-limit', 'ratelimit-remaining'];
const headersNamed = (names: readonly string[]): Record<string, Reference> =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

const securityOf = (api: BoundRoute['api'], row: Route<unknown>, requireKey: boolean): Operation['security'] =>
  row.open || api === 'metrics' ? [] : [...(requireKey ? [] : [{}]), { serviceApiKey: [] }, { glacierApiKey: [] }];

const header = (description: string, type: 'string' | 'integer') => ({ description, schema: { type } });

const headers = {
  'ratelimit-policy': header('Requests and seconds of each window: `8000;w=60, 2000000;w=86400`.', 'string'),
  'ratelimit-limit': header('Requests that the window nearer its end allows.', 'integer'),
  'ratelimit-remaining': header('What is left of them.', 'integer'),
  'ratelimit-reset': header('Seconds until there is more.', 'integer'),
  'retry-after': header('Seconds until a request may succeed.', 'integer'),
};

const securitySchemes = {
  serviceApiKey: { type: 'apiKey', in: 'header', name: 'x-service-api-key' },
  glacierApiKey: {
    type: 'apiKey',
    in: 'header',
    name: 'x-glacier-api-key',
    description: 'Another name for the same, for SDKs that know it.',
  },
};

export type DocumentFault = { code: 'API_SCHEMA_TWICE'; title: string };
export class DocumentError extends Fault<DocumentFault> {}
