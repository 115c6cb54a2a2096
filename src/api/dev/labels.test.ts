import { expect, test } from 'bun:test';
import { type Address, createAddressFormatter } from '../../base/bytes/address.ts';
import { maxLabels } from '../contract/dev-money-methods.ts';
import { createService } from '../rpc/method.ts';
import { type Labels, labelMethods, parseLabels } from './labels.ts';

const addressOf = (index: number): Address => index.toString(16).padStart(40, '0') as Address;

function openLabels() {
  let all: ReadonlyMap<Address, string> = new Map();
  let changes = 0;
  const labels: Labels = {
    all: () => all,
    find: (name) => [...all].find(([, one]) => one === name)?.[0],
    replace: (changed) => {
      all = changed;
    },
  };
  const wallet = {
    resolveAddress: (text: string) => labels.find(text) ?? addressOf(Number(text)),
    formatAddress: createAddressFormatter('X', 'local'),
  };
  const { methods } = createService('dev', labelMethods, { wallet, labels, hrp: 'local', onChange: () => changes++ });
  // The text of a request has one character per byte.
  const call = async (method: string, params: object): Promise<unknown> => {
    const bound = methods.get(method);
    return bound?.run(bound.readParams(Buffer.from(JSON.stringify(params)).toString('latin1')));
  };
  return {
    all: () => all,
    changes: () => changes,
    label: (address: number | string, name: string) => call('label', { address, name }),
    list: () => call('labels', {}),
  };
}

test('a label is given, moved to another name, and removed by an empty one', async () => {
  const { label, list, all, changes } = openLabels();
  const address = createAddressFormatter('X', 'local')(addressOf(1));
  expect(await label(1, 'alice')).toEqual({ address, name: 'alice' });
  expect(await label('alice', 'Alice & co')).toEqual({ address, name: 'Alice & co' });
  await label(2, 'älter');
  await label(3, 'Bob');
  expect(await list()).toMatchObject({ labels: [{ address, name: 'Alice & co' }, { name: 'Bob' }, { name: 'älter' }] });
  expect(await label('Bob', '')).toMatchObject({ name: '' });
  expect([...all().values()]).toEqual(['Alice & co', 'älter']);
  // One that has no label has none afterwards either.
  await label(9, '');
  expect(changes()).toBe(6);
});

test('names that mean something else, or that nobody can see, are refused with the reason', async () => {
  const { label, all } = openLabels();
  await label(1, 'alice');
  const refused: [name: string, reason: string][] = [
    ['alice', 'is the label of X-local1'],
    ['7', 'is a number, which stands for an account'],
    ['X-alice', 'looks like an address'],
    ['local1abc', 'looks like an address'],
    ['0xdead', 'looks like an address'],
    ['account 2', 'is what an account is called already'],
    ['x'.repeat(65), 'has 65 characters; at most 64'],
    [' bob', 'a space at its beginning or end'],
    ['b\u0000b', 'invisible'],
    ['b\nb', 'invisible'],
    ['\u202ebob', 'changes the direction of text'],
    ['b\u200bob', 'invisible'],
  ];
  for (const [name, reason] of refused) await expect(label(2, name)).rejects.toThrow(reason);
  expect([...all()]).toEqual([[addressOf(1), 'alice']]);
  // 64 characters count, whatever the number of their bytes.
  await label(2, '🏔'.repeat(64));
  expect(all().get(addressOf(2))).toHaveLength(128);
});

test('at most 1,000 addresses have one', async () => {
  const { label, all } = openLabels();
  for (let i = 1; i <= maxLabels; i++) await label(i, `owner ${i}`);
  await expect(label(maxLabels + 1, 'one more')).rejects.toThrow('there are 1000 labels, which is the most');
  await label(1, 'renamed');
  await label(2, '');
  await label(maxLabels + 1, 'one more');
  expect(all().size).toBe(maxLabels);
});

test('the labels of a state file are checked like those of a call', () => {
  const address = addressOf(1);
  expect(parseLabels({ [address]: 'alice' }, 'local')).toEqual(new Map([[address, 'alice']]));
  expect(parseLabels({}, 'local')?.size).toBe(0);
  const bad: unknown[] = [
    null,
    [],
    'alice',
    { alice: 'alice' },
    { [address]: 5 },
    { [address]: '5' },
    { [address]: '' },
    { [address]: 'a\u202eb' },
    { [address]: 'alice', [addressOf(2)]: 'alice' },
    Object.fromEntries(Array.from({ length: maxLabels + 1 }, (_, i) => [addressOf(i), `owner ${i}`])),
  ];
  for (const labels of bad) expect([labels, parseLabels(labels, 'local')]).toEqual([labels, undefined]);
});
