import fc from 'fast-check';
import type { Document, Operation, Parameter } from '../src/api/openapi.ts';
import type { Schema } from '../src/api/schema.ts';

/** A request that no sane client sends, and the operation it is aimed at; none for one that goes astray. */
export type HostileRequest = {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  readonly operation: string | undefined;
};

/** What means something to the server that is asked. */
export type Known = {
  /** Good values of parameters, by their names: those of the path and what else must be given. */
  readonly good: Readonly<Record<string, readonly string[]>>;
  /** Whether spelt well or not, they are values of some parameter. */
  readonly texts: readonly string[];
  /** Page tokens that it has given. */
  readonly tokens: readonly string[];
  readonly keys: readonly string[];
};

/** Every parameter of every operation of a document, bent: other values, other types, left out, repeated, badly encoded, absurdly long. */
export function hostileRequests(document: Document, known: Known): fc.Arbitrary<HostileRequest> {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );
  const aimed = fc.constantFrom(...operations).chain((one) => aimedAt(one, known));
  return fc.oneof({ weight: 12, arbitrary: aimed }, astray(known));
}

/** The schema of an operation's good answer, with what it refers to put in its place. */
export function answerSchemas(document: Document): ReadonlyMap<string, Schema> {
  const inline = (schema: unknown): Schema => {
    if (Array.isArray(schema)) return schema.map(inline) as Schema;
    if (typeof schema !== 'object' || schema === null) return schema as Schema;
    const { $ref, ...rest } = schema as { readonly $ref?: string };
    const own = Object.fromEntries(Object.entries(rest).map(([word, value]) => [word, inline(value)]));
    return $ref === undefined ? own : { ...inline(document.components.schemas[$ref.split('/').at(-1) ?? '']), ...own };
  };
  const good = ({ responses }: Operation) => (responses[200] as { content: { 'application/json': { schema: unknown } } }).content;
  return new Map(
    Object.values(document.paths).flatMap((methods) =>
      Object.values(methods).map((operation) => [operation.operationId, inline(good(operation)['application/json'].schema)] as const),
    ),
  );
}

type Target = { readonly path: string; readonly method: string; readonly operation: Operation };

/** Some have one parameter bent, some all of them, some none: otherwise hardly any would get past the first one. */
function aimedAt({ path, method, operation }: Target, known: Known): fc.Arbitrary<HostileRequest> {
  const { parameters } = operation;
  return fc
    .record({
      values: fc.tuple(...parameters.map((parameter) => fc.record({ good: goodFor(parameter, known), bent: bentFor(parameter, known) }))),
      bent: fc.oneof(fc.constant(-1), { weight: 2, arbitrary: fc.nat(Math.max(0, parameters.length - 1)) }, fc.constant(parameters.length)),
      surplus: fc.array(fc.tuple(hostileText, hostileText), { maxLength: 1 }),
      spelling: fc.constantFrom(...spellings),
      headers: headersOf(known),
      body: operation.requestBody === undefined ? fc.constant(undefined) : bodyOf(known),
      method: fc.oneof({ weight: 30, arbitrary: fc.constant(method) }, fc.constantFrom('PUT', 'DELETE', 'POST', 'GET')),
    })
    .map(({ values, bent, surplus, spelling, headers, body, method: used }) => {
      const told = parameters.map(({ name, in: place }, i) => {
        const isBent = bent === i || bent === parameters.length;
        const texts = (isBent ? values[i]?.bent : values[i]?.good) ?? [];
        return { name, place, texts: texts.map(isBent ? spelling : encoded) };
      });
      const inPath = (name: string) => told.find((one) => one.place === 'path' && one.name === name)?.texts[0];
      const inQuery = told.filter(({ place }) => place === 'query').flatMap(({ name, texts }) => texts.map((text) => `${name}=${text}`));
      // A segment that is not there would make another path; so does a step upwards, which the platform takes itself.
      const target = path.replace(/\{(\w+)\}/g, (_, name: string) => inPath(name) || 'x');
      const isAimed = used === method && !/\/(\.|%2e){1,2}(\/|$)/i.test(target);
      return {
        method: used,
        path: join(target, [...inQuery, ...surplus.map((pair) => pair.map(encoded).join('='))]),
        headers,
        body: used === 'POST' ? (body ?? '') : undefined,
        operation: isAimed ? operation.operationId : undefined,
      };
    });
}

/** Paths that lead nowhere, or only almost somewhere. Steps upwards the platform takes itself: they could lead out of the interfaces. */
const astray = (known: Known): fc.Arbitrary<HostileRequest> =>
  fc
    .record({
      root: fc.constantFrom('/v1', '/v2', '/v1/', '/v1/networks/local/blockchains/x-chain'),
      segments: fc.array(fc.oneof(hostileText, fc.constantFrom('networks', 'local', 'blockchains', 'x-chain', 'chains', '')), {
        maxLength: 9,
      }),
      query: fc.array(fc.tuple(hostileText, hostileText), { maxLength: 3 }),
      headers: headersOf(known),
    })
    .map(({ root, segments, query, headers }) => ({
      method: 'GET',
      path: join(
        [root, ...segments.filter((segment) => !/^\.+$/.test(segment)).map(encoded)].join('/'),
        query.map((pair) => pair.map(encoded).join('=')),
      ),
      headers,
      body: undefined,
      operation: undefined,
    }));

const join = (path: string, query: readonly string[]): string => (query.length === 0 ? path : `${path}?${query.join('&')}`);

/** As a client that knows the server would give it; what may be left out is left out. */
function goodFor({ name, required }: Parameter, { good }: Known): fc.Arbitrary<readonly string[]> {
  const values = good[name];
  if (values === undefined) return fc.constant([]);
  const one = fc.constantFrom(...values).map((value) => [value]);
  return required ? one : fc.oneof(fc.constant<string[]>([]), one);
}

/** Now and then several times. */
const bentFor = (parameter: Parameter, known: Known): fc.Arbitrary<readonly string[]> => {
  const value = valuesFor(parameter, known);
  return fc.oneof({ weight: 6, arbitrary: value.map((one) => [one]) }, fc.array(value, { minLength: 2, maxLength: 4 }));
};

/** What the parameter takes, at its bounds and beyond; what others take; and anything. */
function valuesFor({ name, schema }: Parameter, { texts, tokens }: Known): fc.Arbitrary<string> {
  const { enum: words, minimum, maximum, type, items, examples } = schema as Schema & { examples?: readonly string[] };
  const allowed = [...((items?.enum ?? words ?? []) as readonly string[]), ...(examples ?? [])];
  const numbers = [minimum, maximum].filter((bound) => bound !== undefined).flatMap((bound) => [bound - 1, bound, bound + 1].map(String));
  return fc.oneof(
    ...(allowed.length === 0 ? [] : [{ weight: 8, arbitrary: fc.oneof(fc.constantFrom(...allowed), severalOf(allowed)) }]),
    ...(type === 'integer' ? [{ weight: 6, arbitrary: fc.oneof(fc.constantFrom(...numbers, ...oddNumbers), fc.nat().map(String)) }] : []),
    ...(type === 'boolean' ? [{ weight: 4, arbitrary: fc.constantFrom('true', 'false', '1', '0', 'TRUE', '') }] : []),
    ...(name === 'pageToken' ? [{ weight: 8, arbitrary: tokenOf(tokens) }] : []),
    { weight: 6, arbitrary: fc.oneof(fc.constantFrom(...texts), severalOf(texts)) },
    { weight: 3, arbitrary: hostileText },
  );
}

const severalOf = (texts: readonly string[]): fc.Arbitrary<string> =>
  fc.array(fc.constantFrom(...texts), { minLength: 1, maxLength: 5 }).map((several) => several.join());

/** One that was given, one with a digit changed, one that nobody gave. */
const tokenOf = (tokens: readonly string[]): fc.Arbitrary<string> =>
  fc.oneof(
    fc.constantFrom(...tokens),
    fc
      .tuple(fc.constantFrom(...tokens), fc.nat(35), fc.constantFrom(...'0123456789abcdefG-'))
      .map(([token, at, digit]) => token.slice(0, at) + digit + token.slice(at + 1)),
    fc.uuid(),
  );

const bodyOf = ({ good: { addresses = [] }, texts }: Known): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 4, arbitrary: severalOf(addresses).map((several) => JSON.stringify({ addresses: several })) },
    severalOf(texts).map((several) => JSON.stringify({ addresses: several })),
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

const headersOf = ({ keys }: Known): fc.Arbitrary<Record<string, string>> =>
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

/** What a header can carry at all. */
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

/** A lone half of a pair has no bytes. */
const wellFormed = (text: string): string => text.toWellFormed();
const encoded = (text: string): string => encodeURIComponent(wellFormed(text));

/** How a text stands in a URL: as it should, twice, every byte of it, or cut off in an escape. */
const spellings: readonly ((text: string) => string)[] = [
  encoded,
  encoded,
  encoded,
  (text) => encoded(encoded(text)),
  (text) => Buffer.from(wellFormed(text)).toString('hex').replace(/../g, '%$&'),
  (text) => `${encoded(text)}%`,
  (text) => `${encoded(text)}%c3%28`,
];
