import { expect, test } from 'bun:test';
import { buildOpenRpc } from './openrpc.ts';

const find = (name: string) => buildOpenRpc('1', () => true).methods.find((method) => method.name === name);

test('describes a method with its path, parameters and example', () => {
  expect(find('avm.getTxStatus')).toEqual({
    name: 'avm.getTxStatus',
    tags: [{ name: 'avm' }],
    servers: [{ name: 'avm', url: '/ext/bc/X' }],
    deprecated: true,
    description: expect.stringContaining('Deprecated since AvalancheGo 1.'),
    paramStructure: 'by-name',
    params: [{ name: 'txID', schema: { title: 'ID' } }],
    result: { name: 'result', schema: {} },
    examples: [
      {
        name: 'avm.getTxStatus',
        params: [{ name: 'txID', value: '2fombhL7aGPwj3KH4bfrmJwW6PVnMobf9Y2fn9GwxiAAJyFDbe' }],
        result: { name: 'result', value: { status: 'Accepted' } },
      },
    ],
  });
  expect(find('eth_getBalance')).toMatchObject({ paramStructure: 'by-position', servers: [{ url: '/ext/bc/C/rpc' }] });
});

test('an example that JSON would change stays text', () => {
  const values = buildOpenRpc('1', () => true).methods.map(({ examples: [{ result }] }) => result.value);
  for (const value of values.filter((one) => typeof one === 'string' && /^[[{]/.test(one))) {
    const isUnchanged = (text: string): boolean => JSON.stringify(JSON.parse(text)) === text;
    expect(() => expect(isUnchanged(value as string)).toBe(true)).toThrow();
  }
});

test('has only what the port serves', () => {
  const { methods } = buildOpenRpc('1', (path, method) => path === '/ext/info' && method !== 'info.getNodeID');
  expect(new Set(methods.map(({ tags }) => tags[0].name))).toEqual(new Set(['info']));
  expect(methods.map(({ name }) => name)).not.toContain('info.getNodeID');
});
