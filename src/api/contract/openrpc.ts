import type { ServiceRow } from './client-services.ts';
import { createComponents, type SchemaObject, type ToSchemaObject } from './components.ts';
import { jsonSchemaOf } from './json-schema.ts';
import type { MethodDoc, MethodRow } from './method.ts';
import { methodDocs } from './node-method-docs.ts';
import { isOptional, schemaOf } from './schema.ts';
import { type ServiceName, services } from './services.ts';

/** The parts of an OpenRPC document that this server writes: the methods of the Node RPC on one port. */
type OpenRpcDocument = {
  readonly openrpc: '1.3.2' | '1.2.6';
  readonly info: { readonly title: string; readonly version: string };
  readonly servers: readonly [OpenRpcServer];
  readonly methods: readonly OpenRpcMethod[];
  readonly components: { readonly schemas: Readonly<Record<string, SchemaObject>> };
};

type OpenRpcServer = { readonly name: string; readonly url: string };

type OpenRpcMethod = {
  readonly name: string;
  readonly tags: readonly [{ readonly name: string }];
  /** The URL that serves the method. */
  readonly servers: readonly [OpenRpcServer];
  readonly summary: string;
  readonly description?: string;
  readonly deprecated?: true;
  /** By position for the methods of the C-Chain, by name for all others. */
  readonly paramStructure: 'by-name' | 'by-position';
  readonly params: readonly OpenRpcParam[];
  readonly result: { readonly name: 'result'; readonly schema: SchemaObject };
  readonly examples: readonly [OpenRpcExample];
};

/** `required` is also written if it is false, the default: generators look for it. */
type OpenRpcParam = { readonly name: string; readonly required?: boolean; readonly schema: SchemaObject };

type OpenRpcExample = {
  readonly name: string;
  readonly params: readonly { readonly name: string; readonly value: unknown }[];
  /**
   * The result, or the error with the name `error`. The value is the JSON text if a JSON parser would change it: integers above 2^53, and
   * `…` in place of values that differ between nodes.
   */
  readonly result: { readonly name: 'result' | 'error'; readonly value: unknown };
};

/** Describes the methods that `isServed` selects. `origin`: `http://host:port` as the caller reached this server. */
export function buildOpenRpc(version: string, origin: string, isServed: (path: string, method: string) => boolean): OpenRpcDocument {
  const { schemas, toSchemaObject } = createComponents();
  const methods = (Object.entries(services) as [ServiceName, ServiceRow][]).flatMap(([service, { path, prefix, methods }]) =>
    Object.entries(methods).flatMap(([name, row]) => {
      if (!isServed(path, prefix + name)) return [];
      const doc = (methodDocs[service] as { readonly [name: string]: MethodDoc })[name] as MethodDoc;
      return [describeMethod(service, origin + path, prefix + name, row, doc, toSchemaObject)];
    }),
  );
  return {
    openrpc: '1.3.2',
    info: { title: 'Serac: Node RPC', version },
    servers: [{ name: 'node', url: origin }],
    methods,
    components: { schemas },
  };
}

/**
 * Describes one service for code generators, which make one client with one URL, and a function of each method name. It is what
 * `@open-rpc/generator` 1.22 can use: OpenRPC 1.2, the names of `underscoredName`, and `withPlainSchemas` (its clients refuse the format `ID`, and `time`
 * means another to them).
 */
export function buildServiceOpenRpc(
  service: ServiceName,
  version: string,
  origin: string,
  isServed: (path: string, method: string) => boolean,
): OpenRpcDocument {
  const { path } = services[service];
  const document = buildOpenRpc(version, origin, (methodPath, method) => methodPath === path && isServed(methodPath, method));
  return withPlainSchemas({
    ...document,
    openrpc: '1.2.6',
    info: { title: `Serac: ${service}`, version },
    servers: [{ name: service, url: origin + path }],
    methods: document.methods.map((method) => ({
      ...method,
      name: underscoredName(method.name),
      params: method.paramStructure === 'by-name' ? method.params.map(withoutRequired) : method.params,
    })),
  });
}

/**
 * Leaves `required` out if it is true. Generated clients look up a required parameter by its name in the list of arguments and miss it; without
 * the word they do not look, and still have a type in which it is required.
 */
const withoutRequired = ({ name, required, schema }: OpenRpcParam): OpenRpcParam =>
  required ? { name, schema } : { name, required, schema };

/** The document with plain schemas: without `format`, and with `oneOf` in place of a list of types, from which no type would be generated. */
const withPlainSchemas = (document: OpenRpcDocument): OpenRpcDocument =>
  JSON.parse(
    JSON.stringify(document, (key, value) => {
      if (key === 'format' && typeof value === 'string') return undefined;
      if (!Array.isArray(value?.type)) return value;
      const { type, ...others } = value as { readonly type: readonly string[] };
      return { ...others, oneOf: type.map((one) => ({ type: one })) };
    }),
  );

/** The name of a method as an identifier: `avm_getTx` for `avm.getTx`. The node accepts both (rpc/find-method.ts). */
const underscoredName = (method: string): string => method.replace('.', '_');

function describeMethod(
  service: ServiceName,
  url: string,
  name: string,
  { params, result, isPositional }: MethodRow,
  doc: MethodDoc,
  toSchemaObject: ToSchemaObject,
): OpenRpcMethod {
  return {
    name,
    tags: [{ name: service }],
    servers: [{ name: service, url }],
    summary: doc.summary,
    deprecated: doc.deprecated === undefined ? undefined : true,
    description: doc.deprecated && `Deprecated since AvalancheGo ${doc.deprecated}.`,
    paramStructure: isPositional ? 'by-position' : 'by-name',
    params: Object.entries(params)
      // A document lists the required parameters first.
      .toSorted(([, a], [, b]) => Number(isOptional(a)) - Number(isOptional(b)))
      .map(([field, param]) => ({
        name: field,
        required: !isOptional(param),
        schema: toSchemaObject(jsonSchemaOf(schemaOf(param))),
      })),
    result: { name: 'result', schema: toSchemaObject(jsonSchemaOf(result)) },
    examples: [describeExample(name, isPositional ? Object.keys(params) : undefined, doc)],
  };
}

/** `positions`: the names of parameters that are given as an array. */
function describeExample(name: string, positions: readonly string[] | undefined, doc: MethodDoc): OpenRpcExample {
  const given = (doc.params ?? {}) as object;
  const [outcome, text] = 'result' in doc ? (['result', doc.result] as const) : (['error', doc.error] as const);
  return {
    name,
    params:
      positions === undefined
        ? Object.entries(given).map(([field, value]) => ({ name: field, value }))
        : positions.map((field, i) => ({ name: field, value: (given as readonly unknown[])[i] })),
    result: { name: outcome, value: exactValue(text) },
  };
}

function exactValue(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return JSON.stringify(value) === text ? value : text;
  } catch {
    return text;
  }
}
