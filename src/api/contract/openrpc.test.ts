import { expect, test } from 'bun:test';
import { buildOpenRpc, buildServiceOpenRpc } from './openrpc.ts';
import { type ServiceName, services } from './services.ts';

const find = (name: string) => buildOpenRpc('1', 'http://node:9650', () => true).methods.find((method) => method.name === name);

test('describes a method with its path, parameters and example', () => {
  expect(find('avm.getTxStatus')).toEqual({
    name: 'avm.getTxStatus',
    tags: [{ name: 'avm' }],
    servers: [{ name: 'avm', url: 'http://node:9650/ext/bc/X' }],
    summary: 'The status of a transaction',
    deprecated: true,
    description: expect.stringContaining('Deprecated since AvalancheGo 1.'),
    paramStructure: 'by-name',
    params: [{ name: 'txID', required: true, schema: { type: 'string', format: 'ID' } }],
    result: {
      name: 'result',
      schema: {
        type: 'object',
        properties: {
          status: { type: 'string', enum: ['Accepted', 'Processing', 'Rejected', 'Unknown'] },
          reason: { type: 'string' },
          code: { type: 'string' },
        },
        required: ['status'],
      },
    },
    examples: [
      {
        name: 'avm.getTxStatus',
        params: [{ name: 'txID', value: '2fombhL7aGPwj3KH4bfrmJwW6PVnMobf9Y2fn9GwxiAAJyFDbe' }],
        result: { name: 'result', value: { status: 'Accepted' } },
      },
    ],
  });
  expect(find('eth_getBalance')).toMatchObject({
    paramStructure: 'by-position',
    servers: [{ url: 'http://node:9650/ext/bc/C/rpc' }],
    params: [{ name: 'address' }, { name: 'block' }],
  });
});

test('an example that JSON would change stays text', () => {
  const values = buildOpenRpc('1', 'http://node:9650', () => true).methods.map(({ examples: [{ result }] }) => result.value);
  for (const value of values.filter((one) => typeof one === 'string' && /^[[{]/.test(one))) {
    const isUnchanged = (text: string): boolean => JSON.stringify(JSON.parse(text)) === text;
    expect(() => expect(isUnchanged(value as string)).toBe(true)).toThrow();
  }
});

test('has only what the port serves', () => {
  const { methods } = buildOpenRpc('1', 'http://node:9650', (path, method) => path === '/ext/info' && method !== 'info.getNodeID');
  expect(new Set(methods.map(({ tags }) => tags[0].name))).toEqual(new Set(['info']));
  expect(methods.map(({ name }) => name)).not.toContain('info.getNodeID');
});

test('every parameter and every result has a type', () => {
  const { methods, components } = buildOpenRpc('1', 'http://node:9650', () => true);
  const hasType = (schema: { readonly [word: string]: unknown }): boolean =>
    schema.type !== undefined ||
    schema.oneOf !== undefined ||
    String(schema.$ref).slice('#/components/schemas/'.length) in components.schemas;
  const untyped = methods.flatMap(({ name, params, result }) =>
    [...params, result].filter(({ schema }) => !hasType(schema)).map((part) => `${name} ${part.name}`),
  );
  expect(untyped).toEqual([]);
  expect(methods.length).toBeGreaterThan(80);
});

test('the document of a service has its methods only, with names that are identifiers, and one URL', () => {
  for (const service of Object.keys(services) as ServiceName[]) {
    const document = buildServiceOpenRpc(service, '1', 'http://node:9650', () => true);
    const { servers, methods } = document;
    expect(JSON.stringify(document)).not.toMatch(/"format":"|"type":\[/);
    expect(servers).toEqual([{ name: service, url: `http://node:9650${services[service].path}` }]);
    expect(methods.map(({ tags, servers }) => [tags[0].name, servers[0].url]).filter(([tag]) => tag !== service)).toEqual([]);
    expect(methods.map(({ name }) => name).filter((name) => !/^[A-Za-z]+_[A-Za-z]\w*$/.test(name))).toEqual([]);
    // The node finds a method by this name: it replaces the first underscore by a dot.
    const names = Object.keys(services[service].methods).map((name) => services[service].prefix + name);
    expect(methods.map(({ name }) => (names.includes(name) ? name : name.replace('_', '.')))).toEqual(names);
  }
});
