import { createComponents, type SchemaObject, type ToSchemaObject } from '../contract/components.ts';
import { type JsonSchema, jsonSchemaOf } from '../contract/json-schema.ts';
import { type RouteRow, tagDescriptions } from '../contract/route.ts';
import { anyOf, integer, list, object, text } from '../contract/schema.ts';
import { ageHeader, heightHeader, type LimitHeader, limitHeaders, minHeightHeader } from '../http/own-headers.ts';
import { type ErrorStatus, reasonPhrases } from './api-error.ts';
import type { Param, Params } from './param.ts';
import { compileRouteParams } from './params.ts';
import type { BoundRoute } from './route.ts';

/** The parts of an OpenAPI 3.1 document that this server writes. */
export type OpenApiDocument = {
  readonly openapi: '3.1.0';
  readonly info: {
    readonly title: string;
    readonly version: string;
    readonly description: string;
    readonly license: { readonly name: string; readonly identifier: string };
  };
  readonly servers: readonly [{ readonly url: string }];
  readonly tags: readonly { readonly name: string; readonly description?: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenApiOperation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, SchemaObject>>;
    readonly responses: Readonly<Record<string, ResponseObject>>;
    readonly headers: Readonly<Record<string, unknown>>;
    readonly securitySchemes: Readonly<Record<string, unknown>>;
  };
};

export type OpenApiOperation = {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly parameters: readonly OpenApiParameter[];
  readonly requestBody?: { readonly required: true; readonly content: Content };
  readonly responses: Readonly<Record<string, ResponseObject | OpenApiReference>>;
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
};

export type OpenApiParameter = {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly description?: string;
  readonly schema: SchemaObject;
  readonly explode?: true;
};

export type ResponseObject = {
  readonly description: string;
  readonly headers?: Readonly<Record<string, OpenApiReference>>;
  readonly content: Content;
};

type Content = Readonly<Record<string, { readonly schema: SchemaObject }>>;
type OpenApiReference = { readonly $ref: string };

export type DocumentOptions = {
  readonly title: string;
  readonly version: string;
  readonly description: string;
  readonly requireKey: boolean;
  /** `http://host:port` as the caller reached this server. */
  readonly origin: string;
  /** Example values of this server, by parameter name: its network, an address of it. */
  readonly examples: Readonly<Record<string, string>>;
};

/** A route as far as it is documented. */
type DocumentedRoute = {
  readonly api: BoundRoute['api'];
  readonly route: RouteRow & { readonly id: string };
  /** Answers name the height that the caller has seen by them, and requests may name one; see `ReadConsistency`. */
  readonly hasHeight?: boolean;
  /** Answers name the age of the data; see `DataAge`. */
  readonly hasAge?: boolean;
};

/** Builds the OpenAPI document of a server from its routes. */
export function buildOpenApi(routes: readonly DocumentedRoute[], options: DocumentOptions): OpenApiDocument {
  const { title, version, description, requireKey, origin, examples } = options;
  const { schemas, toSchemaObject } = createComponents();
  const paths: Record<string, Record<string, OpenApiOperation>> = {};
  const tags = new Map<string, string | undefined>();
  for (const documented of routes) {
    const { api, route } = documented;
    const tag = `${api === 'data' ? 'Data' : 'Metrics'}: ${route.tag}`;
    tags.set(tag, tagDescriptions[route.tag]);
    const operations = paths[route.path] ?? {};
    paths[route.path] = operations;
    const params = compileRouteParams(route);
    const parameters = [...parametersOf(params, examples, toSchemaObject), ...heightParameters(documented)];
    operations[route.method.toLowerCase()] = {
      operationId: route.id,
      tags: [tag],
      summary: route.summary,
      description: route.description,
      parameters,
      ...bodyOf(params, toSchemaObject),
      responses: responsesOf(documented, toSchemaObject),
      security: securityOf(api, route, requireKey),
    };
  }
  const responses = errorResponses(toSchemaObject);
  return {
    openapi: '3.1.0',
    info: { title, version, description, license: { name: 'BSD 3-Clause', identifier: 'BSD-3-Clause' } },
    servers: [{ url: origin }],
    tags: [...tags].map(([name, meaning]) => ({ name, description: meaning })),
    paths,
    components: {
      schemas,
      responses,
      headers: {
        ...headers,
        ...(routes.some(({ hasHeight }) => hasHeight) && heightHeaders),
        ...(routes.some(({ hasAge }) => hasAge) && ageHeaders),
      },
      securitySchemes,
    },
  };
}

function parametersOf(params: Params, examples: DocumentOptions['examples'], toSchemaObject: ToSchemaObject): OpenApiParameter[] {
  return Object.entries(params).flatMap(([name, param]) => {
    if (param.in === 'body') return [];
    const example = Object.hasOwn(examples, name) ? examples[name] : param.schema.example;
    const schema = toSchemaObject(example === undefined ? param.schema : { ...param.schema, example });
    return [
      {
        name,
        in: param.in,
        required: param.required,
        ...describedBy(param),
        schema,
        explode: param.repeated,
      },
    ];
  });
}

/** Routes that manage the server read no height. */
const heightParameters = ({ route, hasHeight = false }: DocumentedRoute): readonly OpenApiParameter[] =>
  hasHeight && !route.isOperator ? [minHeightParameter] : [];

const minHeightParameter: OpenApiParameter = {
  name: minHeightHeader,
  in: 'header',
  required: false,
  description: `The answer is not older than this height; 503 if no server of the database has it. Send the \`${heightHeader}\` of an earlier answer.`,
  schema: { type: 'integer', minimum: 0 },
};

const describedBy = ({ description }: Param<unknown>) => (description === undefined ? {} : { description });

/** Describes the body of a POST: its parameters are the properties of one JSON object. */
function bodyOf(params: Params, toSchemaObject: ToSchemaObject): Pick<OpenApiOperation, 'requestBody'> {
  const inBody = Object.entries(params).filter(([, param]) => param.in === 'body');
  if (inBody.length === 0) return {};
  const schema: JsonSchema = {
    type: 'object',
    properties: Object.fromEntries(inBody.map(([name, param]) => [name, { ...param.schema, ...describedBy(param) }])),
    required: inBody.filter(([, param]) => param.required).map(([name]) => name),
  };
  return { requestBody: { required: true, content: json(toSchemaObject(schema)) } };
}

const ErrorSchema = object('Error', {
  message: anyOf([text('What went wrong.'), list(text(), 'A sentence for each bad parameter.')]),
  error: text('The reason phrase of the status.'),
  statusCode: integer('The HTTP status.'),
});

const statusMeanings: Readonly<Record<ErrorStatus, string>> = {
  400: 'A parameter is missing or malformed.',
  401: 'An API key is required, or the key is not valid.',
  403: 'The API key may not be used for this route.',
  404: 'The path or the requested item does not exist.',
  408: 'The body did not arrive in time.',
  413: 'The body is too large.',
  429: 'The rate limit is reached.',
  500: 'Unexpected error in the server.',
  502: 'The followed node sent an invalid response.',
  503: 'The database, the cache or the followed node is not available.',
};

/**
 * The error statuses of a route. The Metrics API has no keys, and a GET has no body. Health routes name the statuses of the others too, though a
 * server sends them only behind a proxy: clients that are generated from the document expect them, as in AvaCloud's.
 */
const statusesOf = (api: BoundRoute['api'], route: DocumentedRoute['route']): readonly ErrorStatus[] => {
  if (route.isOperator) return [400, 401, 403, 404, 408, 413, 429, 500, 503];
  const keyStatuses = api === 'data' ? ([401, 403] as const) : [];
  const bodyStatuses = route.method === 'GET' ? [] : ([408, 413] as const);
  return [400, ...keyStatuses, 404, ...bodyStatuses, 429, 500, 502, 503];
};

function responsesOf(
  { api, route, hasHeight = false, hasAge = false }: DocumentedRoute,
  toSchemaObject: ToSchemaObject,
): OpenApiOperation['responses'] {
  const names = [
    ...(route.isOperator || (route.isPublic && api === 'metrics') ? [] : limitHeaders),
    ...(hasHeight ? [heightHeader] : []),
    ...(hasAge ? [ageHeader] : []),
  ];
  const responses: Record<string, ResponseObject | OpenApiReference> = {
    [route.status ?? 200]: {
      description: 'Success.',
      headers: names.length > 0 ? headerReferences(names) : undefined,
      content: { [route.contentType ?? 'application/json']: { schema: toSchemaObject(jsonSchemaOf(route.response)) } },
    },
  };
  for (const status of statusesOf(api, route)) {
    const failure = route.errorSchemas?.[status];
    responses[status] =
      failure === undefined
        ? { $ref: `#/components/responses/${nameOf(status)}` }
        : { description: describedStatus(status), content: json(toSchemaObject(jsonSchemaOf(failure))) };
  }
  return responses;
}

/** The error responses that all routes share. */
const errorResponses = (toSchemaObject: ToSchemaObject): Record<string, ResponseObject> =>
  Object.fromEntries(
    Object.keys(reasonPhrases).map((key) => {
      const status = Number(key) as ErrorStatus;
      return [
        nameOf(status),
        {
          description: describedStatus(status),
          headers: headerReferences(limitHeaders),
          content: json(toSchemaObject(jsonSchemaOf(ErrorSchema))),
        },
      ];
    }),
  );

const json = (schema: SchemaObject): Content => ({ 'application/json': { schema } });
const nameOf = (status: ErrorStatus): string => reasonPhrases[status].replaceAll(' ', '');
const describedStatus = (status: ErrorStatus): string => `${reasonPhrases[status]}. ${statusMeanings[status]}`;

const headerReferences = (names: readonly string[]): Record<string, OpenApiReference> =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

const securityOf = (api: BoundRoute['api'], route: DocumentedRoute['route'], requireKey: boolean): OpenApiOperation['security'] =>
  route.isOperator
    ? [{}, { operatorToken: [] }, { serviceApiKey: [] }, { glacierApiKey: [] }]
    : api === 'metrics'
      ? []
      : [...(requireKey && !route.isPublic ? [] : [{}]), { serviceApiKey: [] }, { glacierApiKey: [] }];

const header = (description: string, type: 'string' | 'integer') => ({ description, schema: { type } });

const headers: Readonly<Record<LimitHeader, ReturnType<typeof header>>> = {
  'ratelimit-policy': header('Requests and seconds of each window: `8000;w=60, 2000000;w=86400`.', 'string'),
  'ratelimit-limit': header('Maximum number of requests in the window that has less left.', 'integer'),
  'ratelimit-remaining': header('Requests left in that window.', 'integer'),
  'ratelimit-reset': header('Seconds until the limit allows a request again, at most the window. Sent if nothing remains.', 'integer'),
  'retry-after': header('The same number.', 'integer'),
};

/** Apart, because checkers of documents complain of what no route refers to. */
const heightHeaders = {
  [heightHeader]: header(
    `The height of the X-Chain that was served last. Sent as \`${minHeightHeader}\`, no later answer is older.`,
    'integer',
  ),
};

const ageHeaders = {
  [ageHeader]: header(
    'How many seconds ago this server last had every block of the node or network that its blocks come from: 0 while it has. Errors carry it too.',
    'integer',
  ),
};

const securitySchemes = {
  serviceApiKey: { type: 'apiKey', in: 'header', name: 'x-service-api-key' },
  glacierApiKey: {
    type: 'apiKey',
    in: 'header',
    name: 'x-glacier-api-key',
    description: 'Alternative header for the same key, for SDKs that use it.',
  },
  operatorToken: {
    type: 'http',
    scheme: 'bearer',
    description: 'The token of --dev-token. Without that flag, programs on the machine of the server need none.',
  },
};
