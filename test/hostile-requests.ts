import fc from 'fast-check';
import type { JsonSchema } from '../src/api/contract/json-schema.ts';
import type { OpenApiDocument, OpenApiOperation, OpenApiParameter, ResponseObject } from '../src/api/rest/openapi.ts';

/** An invalid or unusual request, and the operation it should reach; undefined if it should reach none. */
export type HostileRequest = {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  readonly operation: string | undefined;
};

/** Values that exist on the tested server. */
export type KnownValues = {
  /** Valid values by parameter name, for path parameters and other required parameters. */
  readonly valid: Readonly<Record<string, readonly string[]>>;
  /** Values of any parameter, valid or not. */
  readonly values: readonly string[];
  /** Page tokens that the server has issued. */
  readonly tokens: readonly string[];
  readonly keys: readonly string[];
};

/**
 * Generates requests to all operations of an OpenAPI document with invalid parameters: other values, other types, missing, repeated, badly
 * encoded or very long.
 */
export function generateHostileRequests(document: OpenApiDocument, known: KnownValues): fc.Arbitrary<HostileRequest> {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, operation]) => !isStream(operation))
      .map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );
  const routed = fc.constantFrom(...operations).chain((one) => requestsTo(one, known));
  return fc.oneof({ weight: 12, arbitrary: routed }, unroutedRequests(known));
}

/** The schema of each operation's 200 response, with all references resolved. */
export function responseSchemas(document: OpenApiDocument): ReadonlyMap<string, JsonSchema> {
  const inline = (schema: unknown): JsonSchema => {
    if (Array.isArray(schema)) return schema.map(inline) as JsonSchema;
    if (typeof schema !== 'object' || schema === null) return schema as JsonSchema;
    const { $ref, ...rest } = schema as { readonly $ref?: string };
    const own = Object.fromEntries(Object.entries(rest).map(([word, value]) => [word, inline(value)]));
    return $ref === undefined ? own : { ...inline(document.components.schemas[$ref.split('/').at(-1) ?? '']), ...own };
  };
  return new Map(
    Object.values(document.paths).flatMap((methods) =>
      Object.values(methods)
        .filter((operation) => !isStream(operation))
        .map((operation) => [operation.operationId, inline(okContent(operation)['application/json']?.schema)] as const),
    ),
  );
}

const okContent = ({ responses }: OpenApiOperation) => ((responses[200] ?? responses[201]) as ResponseObject).content;

/** A response that does not end; the event stream has its own tests. */
const isStream = (operation: OpenApiOperation): boolean => 'text/event-stream' in okContent(operation);

type Target = { readonly path: string; readonly method: string; readonly operation: OpenApiOperation };

/** Requests with one, all or no invalid parameters: with all of them invalid, only the first parameter would ever be tested. */
function requestsTo({ path, method, operation }: Target, known: KnownValues): fc.Arbitrary<HostileRequest> {
  const { parameters } = operation;
  return fc
    .record({
      values: fc.tuple(
        ...parameters.map((parameter) => fc.record({ valid: validValues(parameter, known), invalid: invalidValues(parameter, known) })),
      ),
      invalidIndex: fc.oneof(
        fc.constant(-1),
        { weight: 2, arbitrary: fc.nat(Math.max(0, parameters.length - 1)) },
        fc.constant(parameters.length),
      ),
      extra: fc.array(fc.tuple(hostileText, hostileText), { maxLength: 1 }),
      encoding: fc.constantFrom(...encodings),
      headers: requestHeaders(known),
      body: operation.requestBody === undefined ? fc.constant(undefined) : requestBodies(known),
      method: fc.oneof({ weight: 30, arbitrary: fc.constant(method) }, fc.constantFrom('PUT', 'DELETE', 'POST', 'GET')),
    })
    .map(({ values, invalidIndex, extra, encoding, headers, body, method: used }) => {
      const sent = parameters.map(({ name, in: place }, i) => {
        const isInvalid = invalidIndex === i || invalidIndex === parameters.length;
        const texts = (isInvalid ? values[i]?.invalid : values[i]?.valid) ?? [];
        return { name, place, texts: texts.map(isInvalid ? encoding : encode) };
      });
      const inPath = (name: string) => sent.find((one) => one.place === 'path' && one.name === name)?.texts[0];
      const inQuery = sent.filter(({ place }) => place === 'query').flatMap(({ name, texts }) => texts.map((text) => `${name}=${text}`));
      // An empty segment would give another path; so does `..`, which the platform resolves itself.
      const target = path.replace(/\{(\w+)\}/g, (_, name: string) => inPath(name) || 'x');
      const isRouted = used === method && !/\/(\.|%2e){1,2}(\/|$)/i.test(target);
      return {
        method: used,
        path: join(target, [...inQuery, ...extra.map((pair) => pair.map(encode).join('='))]),
        headers,
        body: used === 'POST' ? (body ?? '') : undefined,
        operation: isRouted ? operation.operationId : undefined,
      };
    });
}

/** Requests to paths without a route. Segments of dots only are left out: the platform resolves them, and they could leave the API. */
const unroutedRequests = (known: KnownValues): fc.Arbitrary<HostileRequest> =>
  fc
    .record({
      root: fc.constantFrom('/v1', '/v2', '/v1/', '/v1/networks/local/blockchains/x-chain'),
      segments: fc.array(fc.oneof(hostileText, fc.constantFrom('networks', 'local', 'blockchains', 'x-chain', 'chains', '')), {
        maxLength: 9,
      }),
      query: fc.array(fc.tuple(hostileText, hostileText), { maxLength: 3 }),
      headers: requestHeaders(known),
    })
    .map(({ root, segments, query, headers }) => ({
      method: 'GET',
      path: join(
        [root, ...segments.filter((segment) => !/^\.+$/.test(segment)).map(encode)].join('/'),
        query.map((pair) => pair.map(encode).join('=')),
      ),
      headers,
      body: undefined,
      operation: undefined,
    }));

const join = (path: string, query: readonly string[]): string => (query.length === 0 ? path : `${path}?${query.join('&')}`);

/** Valid values of a parameter; optional parameters are sometimes left out. */
function validValues({ name, required }: OpenApiParameter, { valid }: KnownValues): fc.Arbitrary<readonly string[]> {
  const values = valid[name];
  if (values === undefined) return fc.constant([]);
  const one = fc.constantFrom(...values).map((value) => [value]);
  return required ? one : fc.oneof(fc.constant<string[]>([]), one);
}

/** Invalid values of a parameter, sometimes several times. */
const invalidValues = (parameter: OpenApiParameter, known: KnownValues): fc.Arbitrary<readonly string[]> => {
  const value = invalidValue(parameter, known);
  return fc.oneof({ weight: 6, arbitrary: value.map((one) => [one]) }, fc.array(value, { minLength: 2, maxLength: 4 }));
};

/** Values at and beyond the bounds of a parameter, values of other parameters, and arbitrary text. */
function invalidValue({ name, schema }: OpenApiParameter, { values, tokens }: KnownValues): fc.Arbitrary<string> {
  const { enum: words, minimum, maximum, type, items, examples } = schema as JsonSchema & { examples?: readonly string[] };
  const allowed = [...((items?.enum ?? words ?? []) as readonly string[]), ...(examples ?? [])];
  const numbers = [minimum, maximum].filter((bound) => bound !== undefined).flatMap((bound) => [bound - 1, bound, bound + 1].map(String));
  return fc.oneof(
    ...(allowed.length === 0 ? [] : [{ weight: 8, arbitrary: fc.oneof(fc.constantFrom(...allowed), commaSeparated(allowed)) }]),
    ...(type === 'integer' ? [{ weight: 6, arbitrary: fc.oneof(fc.constantFrom(...numbers, ...oddNumbers), fc.nat().map(String)) }] : []),
    ...(type === 'boolean' ? [{ weight: 4, arbitrary: fc.constantFrom('true', 'false', '1', '0', 'TRUE', '') }] : []),
    ...(name === 'pageToken' ? [{ weight: 8, arbitrary: pageTokens(tokens) }] : []),
    { weight: 6, arbitrary: fc.oneof(fc.constantFrom(...values), commaSeparated(values)) },
    { weight: 3, arbitrary: hostileText },
  );
}

const commaSeparated = (texts: readonly string[]): fc.Arbitrary<string> =>
  fc.array(fc.constantFrom(...texts), { minLength: 1, maxLength: 5 }).map((several) => several.join());

/** An issued page token, one with a changed digit, or one that was never issued. */
const pageTokens = (tokens: readonly string[]): fc.Arbitrary<string> =>
  fc.oneof(
    fc.constantFrom(...tokens),
    fc
      .tuple(fc.constantFrom(...tokens), fc.nat(35), fc.constantFrom(...'0123456789abcdefG-'))
      .map(([token, at, digit]) => token.slice(0, at) + digit + token.slice(at + 1)),
    fc.uuid(),
  );

const requestBodies = ({ valid: { addresses = [] }, values }: KnownValues): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 4, arbitrary: commaSeparated(addresses).map((several) => JSON.stringify({ addresses: several })) },
    commaSeparated(values).map((several) => JSON.stringify({ addresses: several })),
    fc
      .dictionary(fc.constantFrom('addresses', 'Addresses', '__proto__', 'x'), fc.oneof(hostileText, fc.jsonValue()))
      .map((value) => JSON.stringify(value)),
    fc.json(),
    hostileText,
    fc.constantFrom(
      '',
      'null',
      '{"addresses":null}',
      '{"addresses":["a"]}',
      '{"addresses":"a","addresses":"b"}',
      '{"addresses":"\\ud800"}',
      '{"addresses":"a"}}',
      `{"a":${'['.repeat(20_000)}`,
      `{"addresses":"${'X-local1,'.repeat(2_000)}"}`,
      `{"addresses":"${'a'.repeat(200_000)}"}`,
      `{"${'k'.repeat(70_000)}":1,"addresses":"x"}`,
    ),
  );

const requestHeaders = ({ keys }: KnownValues): fc.Arbitrary<Record<string, string>> =>
  fc.oneof(
    { weight: 4, arbitrary: fc.constant({}) },
    fc
      .record({ name: fc.constantFrom('x-service-api-key', 'x-glacier-api-key'), key: fc.oneof(fc.constantFrom(...keys), headerText) })
      .map(({ name, key }) => ({ [name]: key })),
    fc
      .record({
        name: fc.constantFrom('content-type', 'accept', 'accept-encoding', 'origin', 'if-none-match', 'range', 'x-forwarded-for', 'cookie'),
        text: headerText,
      })
      .map(({ name, text }) => ({ [name]: text })),
  );

/** Text that is allowed in a header value. */
const headerText = fc.oneof(
  fc.string({ maxLength: 60 }).map((text) => text.replace(/[^\x20-\x7e]/g, '')),
  fc.constantFrom('', ' ', 'null', 'x'.repeat(6_000), '"', '\t'),
);

const oddNumbers = [
  '',
  '-1',
  '00',
  '0x10',
  '1e3',
  '1.0',
  ' 1',
  '1 ',
  '+1',
  'NaN',
  'Infinity',
  '-0',
  '9007199254740992',
  '9007199254740993',
  '18446744073709551615',
  '18446744073709551616',
  '9'.repeat(41),
  '١',
];

const hostileText: fc.Arbitrary<string> = fc.oneof(
  { weight: 3, arbitrary: fc.string({ maxLength: 24 }) },
  { weight: 3, arbitrary: fc.string({ unit: 'binary', maxLength: 12 }) },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      '%',
      '%00',
      '%ff',
      '\0',
      '\r\n',
      '&',
      '=',
      ';',
      '+',
      '?',
      '#',
      '/',
      '\\',
      '..',
      '../..',
      ',',
      ',,',
      "' OR 1=1 --",
      '__proto__',
      'constructor',
      'toString',
      '\ud800',
      '\ufeff',
      '9'.repeat(400),
      'x'.repeat(5_000),
      'a,'.repeat(3_000),
    ),
  },
);

/** Replaces lone surrogates, which cannot be encoded as UTF-8. */
const wellFormed = (text: string): string => text.toWellFormed();
const encode = (text: string): string => encodeURIComponent(wellFormed(text));

/** Ways to encode text in a URL: normally, twice, every byte, with a truncated escape, or with invalid UTF-8. */
const encodings: readonly ((text: string) => string)[] = [
  encode,
  encode,
  encode,
  (text) => encode(encode(text)),
  (text) => Buffer.from(wellFormed(text)).toString('hex').replace(/../g, '%$&'),
  (text) => `${encode(text)}%`,
  (text) => `${encode(text)}%c3%28`,
];
