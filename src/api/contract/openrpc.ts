import type { ServiceRow } from './client-services.ts';
import { createComponents, type SchemaObject, type ToSchemaObject } from './components.ts';
import { jsonSchemaOf } from './json-schema.ts';
import type { MethodDoc, MethodRow } from './method.ts';
import { methodDocs } from './node-method-docs.ts';
import { isOptional, schemaOf } from './schema.ts';
import { type ServiceName, services } from './services.ts';

/** The parts of an OpenRPC 1.3 document that this server writes: the methods of the Node RPC on one port. */
type OpenRpcDocument = {
  readonly openrpc: '1.3.2';
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
  readonly params: readonly { readonly name: string; readonly required?: true; readonly schema: SchemaObject }[];
  readonly result: { readonly name: 'result'; readonly schema: SchemaObject };
  readonly examples: readonly [OpenRpcExample];
};

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
        required: isOptional(param) ? undefined : true,
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
