import { afterAll, beforeAll, expect, test } from 'bun:test';
import { explainError } from '../src/cli/commands/explain-error.ts';
import { createNode, SeracError } from '../src/sdk/index.ts';
import { runCommand } from './short-command.ts';

/** Commands that take an address, with the number of an account, a label, and addresses that are meant for something else. */

let node: Awaited<ReturnType<typeof createNode>>;
let url: string;
beforeAll(async () => {
  node = await createNode();
  url = await node.listen(0);
});
afterAll(() => node.close());

const serac = (...args: string[]) => runCommand(...args, '--url', url);

/** The output of a command that must succeed. */
async function ok(...args: string[]): Promise<string> {
  const { code, out, err } = await serac(...args);
  expect([args, code, err]).toEqual([args, 0, '']);
  return out;
}

const accountOf = (index: number): string => node.accounts[index]?.address ?? '';

test('the number of an account stands for its address in every command', async () => {
  expect(await ok('send', '1', '5')).toMatch(new RegExp(`^account 0 sent 5 AVAX to account 1\n(?:.*\n)*to +${accountOf(1)}\n`));
  expect(await ok('faucet', '2', '7')).toStartWith('account 0 sent 7 AVAX to account 2\n');
  expect(await ok('deposit', 'P', '3', '5')).toContain(accountOf(3));
  expect(await ok('export', 'P', '5', '3')).toContain(accountOf(3).replace('X', 'P'));
  expect(await ok('asset', 'create', 'Gold', 'GLD', '100', '--owner', '1', '--mintable')).toContain('with 100 GLD for account 1');
  expect(await ok('asset', 'mint', 'GLD', '2', '5')).toStartWith('account 0 minted 5 GLD to account 2\n');
  expect(await ok('impersonate', 'start', '4')).toBe(`1 address is impersonated\n${accountOf(4)}\n`);
  const hook = JSON.parse(await ok('webhooks', 'create', 'http://127.0.0.1:1/', '1, 2', '--json'));
  expect(hook.metadata.keys).toEqual([accountOf(1), accountOf(2)]);
  // The types of the library take a number too.
  expect(await node.dev.send({ to: [1, accountOf(2)], from: 0, amount: '1 nAVAX' })).toHaveProperty('txID');
  for (const command of ['address', 'address --json']) expect(await ok(...command.split(' '), '1')).toContain(accountOf(1));
});

test('a label stands for an address; it is listed, shown in its place, and removed by an empty name', async () => {
  expect(await ok('label')).toBe('no labels; serac label ADDRESS NAME names an address\n');
  expect(await ok('label', '1', 'alice')).toBe(`${accountOf(1)} is alice\n`);
  const stranger = 'X-local1qurswpc8qurswpc8qurswpc8qurswpc8lzh465';
  await ok('label', stranger, 'cold store');
  expect(await ok('label')).toBe(`Name        Address\nalice       ${accountOf(1)}\ncold store  ${stranger}\n`);
  expect(JSON.parse(await ok('label', '--json')).labels).toHaveLength(2);
  expect(await ok('send', 'cold store', '5', '--from', 'alice')).toStartWith('alice sent 5 AVAX to cold store\n');
  expect(await ok('address', 'cold store')).toContain(stranger);
  expect(await ok('accounts')).toContain(`1   ${accountOf(1)}  9,999.999 AVAX\n    alice\n`);
  expect((await serac('label', 'alice')).err).toContain("serac label alice NAME; an empty name ('') removes the label");
  expect(await ok('label', 'alice', '')).toBe(`${accountOf(1)} has no label any more\n`);
  expect(await ok('label', 'cold store', '')).toContain(stranger);
});

test('commands, chains and units are read in any case', async () => {
  expect(await ok('EXPORT', 'c', '5', 'avax')).toMatch(/^account 0 exported 5 AVAX to C-Chain\n(?:.*\n)*to +C-local1/);
  expect(await ok('Deposit', 'p', '1', '5', 'Avax')).toMatch(/from +P-Chain\n/);
  expect(await ok('send', '1', '5', 'nAvax')).toStartWith('account 0 sent 0.000000005 AVAX ');
  expect(await ok('send', '1', '5navax')).toStartWith('account 0 sent 0.000000005 AVAX ');
  expect(await ok('send', '3', '5', 'gld', '--from', '1')).toStartWith('account 1 sent 5 GLD to account 3\n');
  expect(await ok('ASSET', 'Show', 'gld')).toStartWith('Gold (GLD)\n');
});

test('an address of the EVM or of another chain is named as such, with the command that works', async () => {
  const cases: [args: string[], message: string, works: string][] = [
    [
      ['send', '0x8db97C7cEcE249c2b98bDC0226Cc4C2A57BF52FC', '5', 'avax', '--memo', 'for you'],
      `is an address of the EVM, such as the C-Chain; an address of the X-Chain is needed, which looks like X-local1…: this is account 0, whose address is ${accountOf(0)}`,
      `send ${accountOf(0)} 5 avax '--memo=for you'`,
    ],
    [
      ['send', accountOf(1).replace('X', 'P'), '5'],
      `is an address of the P-Chain; an address of the X-Chain is needed, which looks like X-local1…: the same key has ${accountOf(1)}`,
      `send ${accountOf(1)} 5`,
    ],
    [['faucet', accountOf(1).replace('X', 'C')], 'is an address of the C-Chain', `faucet ${accountOf(1)}`],
    [['send', '2', '5', '--from', accountOf(1).replace('X', 'P')], 'is an address of the P-Chain', `send 2 5 --from=${accountOf(1)}`],
  ];
  for (const [args, message, works] of cases) {
    const { code, out, err } = await serac(...args);
    expect([args, code, out]).toEqual([args, 1, '']);
    expect(err).toContain(message);
    expect(err).toEndWith(`\n       this works: serac ${works} --url=${url}\n`);
    expect(err.match(/did you mean/g)).toBeNull();
  }
  const fault = { code: 'RPC_ERROR', method: 'dev.send', rpcCode: -32000, data: { address: 'P-1', expected: 'X-1' } } as const;
  const given = new Map(['dev-token', 'api-key'].map((flag) => [flag, { texts: ['secret'], source: `--${flag}` }]));
  const explained = explainError(new SeracError('refused', fault), { name: 'send', args: ['P-1', '5'], given }) as SeracError;
  expect(explained.message).toEndWith('\n       this works: serac send X-1 5');
});

test('what stands for no address is refused, with the accounts that there are', async () => {
  const cases: [args: string[], code: number, message: string][] = [
    [['send', '99', '5'], 1, `there is no account 99; there are 11 accounts, 0 to 10: 0 is ${accountOf(0)}, 1 is ${accountOf(1)}, 2 is `],
    [['send', '1', '5', '--from', '99'], 1, 'there is no account 99'],
    [['send', 'nobody', '5'], 1, '"nobody" is neither an address, the number of an account nor a label'],
    [['address', '99'], 2, '"99" is not an address, an account (0 to 10) or a label'],
    [['address', 'nobody'], 2, '"nobody" is not an address, an account (0 to 10) or a label'],
    [['tail', '--address', 'nobody'], 2, '"nobody" is not an address, an account (0 to 10) or a label'],
    [['label', '1', '5'], 1, 'the name "5" is a number, which stands for an account'],
  ];
  for (const [args, code, message] of cases) {
    const result = await serac(...args);
    expect([args, result.code, result.out, result.err]).toEqual([args, code, '', expect.stringContaining(message)]);
  }
});
