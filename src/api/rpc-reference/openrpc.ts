import type { RpcParam } from '../rpc/params.ts';
import type { MethodExample } from './method-example.ts';
import { type ServiceRow, serviceTable } from './service-table.ts';

/** The parts of an OpenRPC 1.3 document that this server writes: the methods of the Node RPC on one port. */
export type OpenRpcDocument = {
  readonly openrpc: '1.3.2';
  readonly info: { readonly title: string; readonly version: string };
  readonly methods: readonly OpenRpcMethod[];
};

export type OpenRpcMethod = {
  readonly name: string;
  readonly tags: readonly [{ readonly name: string }];
  /** The path that serves the method. */
  readonly servers: readonly [{ readonly name: string; readonly url: string }];
  readonly description?: string;
  readonly deprecated?: true;
  /** By position for the methods of the C-Chain, by name for all others. */
  readonly paramStructure: 'by-name' | 'by-position';
  readonly params: readonly { readonly name: string; readonly schema: TypeSchema }[];
  readonly result: { readonly name: 'result'; readonly schema: object };
  readonly examples: readonly [OpenRpcExample];
};

/** A type by its name, such as `id[]`; an object has properties. */
export type TypeSchema = { readonly title: string; readonly properties?: Readonly<Record<string, TypeSchema>> };

export type OpenRpcExample = {
  readonly name: string;
  readonly params: readonly { readonly name: string; readonly value: unknown }[];
  /**
   * The result, or the error with the name `error`. The value is the JSON text if a JSON parser would change it: integers above 2^53, and
   * `…` in place of values that differ between nodes.
   */
  readonly result: { readonly name: 'result' | 'error'; readonly value: unknown };
};

/** Describes the methods that `isServed` selects. */
export const buildOpenRpc = (version: string, isServed: (path: string, method: string) => boolean): OpenRpcDocument => ({
  openrpc: '1.3.2',
  info: { title: 'Serac: Node RPC', version },
  methods: serviceTable.flatMap((service) =>
    Object.keys(service.methods).flatMap((name) =>
      isServed(service.path, service.prefix + name) ? [describeMethod(service, service.prefix + name, name)] : [],
    ),
  ),
});

function describeMethod({ name: service, path, methods, examples }: ServiceRow, name: string, key: string): OpenRpcMethod {
  const { params, deprecated } = methods[key] as ServiceRow['methods'][string];
  const isByName = params.fields !== undefined;
  return {
    name,
    tags: [{ name: service }],
    servers: [{ name: service, url: path }],
    ...(deprecated !== null && { deprecated: true as const, description: `Deprecated since AvalancheGo ${deprecated}.` }),
    paramStructure: isByName ? 'by-name' : 'by-position',
    params: isByName
      ? Object.entries(params.fields ?? {}).map(([field, param]) => ({ name: field, schema: typeSchema(param) }))
      : [{ name: 'params', schema: typeSchema(params) }],
    result: { name: 'result', schema: {} },
    examples: [describeExample(name, isByName, examples[key] as MethodExample)],
  };
}

const typeSchema = ({ type, fields }: RpcParam<unknown>): TypeSchema => ({
  title: type,
  ...(fields && { properties: Object.fromEntries(Object.entries(fields).map(([name, param]) => [name, typeSchema(param)])) }),
});

function describeExample(name: string, isByName: boolean, example: MethodExample): OpenRpcExample {
  const { params } = example;
  const named = isByName ? Object.entries((params ?? {}) as object).map(([field, value]) => ({ name: field, value })) : undefined;
  const [outcome, text] = 'result' in example ? (['result', example.result] as const) : (['error', example.error] as const);
  return {
    name,
    params: named ?? (params === undefined ? [] : [{ name: 'params', value: params }]),
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
