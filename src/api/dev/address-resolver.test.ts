import { expect, test } from 'bun:test';
import { deriveAccounts, testMnemonic } from '../../avm/wallet/accounts.ts';
import { portableKeyCrypto } from '../../avm/wallet/portable-crypto.ts';
import { type Address, createAddressFormatter } from '../../base/bytes/address.ts';
import { type Id, zeroId } from '../../base/bytes/id.ts';
import { createAddressFormat } from '../rpc/address-format.ts';
import { createAliases } from '../rpc/aliases.ts';
import { AvmError } from '../rpc/fault.ts';
import { createAddressResolver, looksLikeAddress } from './address-resolver.ts';

const [xChain, pChain, cChain] = ['01'.repeat(32) as Id, zeroId, '03'.repeat(32) as Id];
const aliases = createAliases([
  { id: xChain, aliases: ['X', 'avm'] },
  { id: pChain, aliases: ['P', 'platform'] },
  { id: cChain, aliases: ['C', 'evm'] },
]);
const formatOf = (chainID: Id) =>
  createAddressFormat({
    chainID,
    hrp: 'local',
    aliases,
    format: createAddressFormatter(aliases.primary(chainID), 'local'),
    hasOwnOutputs: true,
    requireExactLength: true,
  });
const accounts = deriveAccounts({ count: 2, mnemonic: testMnemonic, derivationPath: "m/44'/9000'/0'/0" }, portableKeyCrypto);
const alice = '07'.repeat(20) as Address;
const find = (name: string): Address | undefined => (name === 'alice' ? alice : undefined);
const resolve = createAddressResolver({ accounts, addressFormat: formatOf(xChain), labels: { find } });
const own = (index: number): Address => accounts[index]?.key.address as Address;
const bare = 'local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u';

/** The message and the address that is meant instead. */
function errorOf(text: string, destination?: Id): [message: string, expected: string | undefined] {
  try {
    resolve(text, destination && formatOf(destination));
  } catch (error) {
    if (!(error instanceof AvmError) || error.fault.code !== 'AVM_BAD_ADDRESS') throw error;
    expect(error.fault.address).toBe(text);
    return [error.message, error.fault.expected];
  }
  throw new Error(`${text} is an address`);
}

test('an account by its number, an address by its label, and an address with or without its prefix', () => {
  expect([resolve('0'), resolve('2'), resolve('002')]).toEqual([own(0), own(2), own(2)]);
  expect(resolve('alice')).toBe(alice);
  for (const text of [`X-${bare}`, `x-${bare}`, bare, `avm-${bare}`]) expect([text, resolve(text)]).toEqual([text, own(0)]);
});

test('the destination of an export may be written with its own prefix too', () => {
  const toP = (text: string): Address => resolve(text, formatOf(pChain));
  for (const text of ['0', `P-${bare}`, `p-${bare}`, `X-${bare}`, bare]) expect([text, toP(text)]).toEqual([text, own(0)]);
  expect(toP('alice')).toBe(alice);
  expect(errorOf(`C-${bare}`, pChain)).toEqual([
    `C-${bare} is an address of the C-Chain; an address of the P-Chain is needed, which looks like P-local1…: the same key has P-${bare}`,
    `P-${bare}`,
  ]);
});

test('a number without an account shows how many there are and the first ones', () => {
  expect(() => resolve('3')).toThrow(`there is no account 3; there are 3 accounts, 0 to 2: 0 is X-${bare}, 1 is X-local1`);
  expect(() => resolve('9'.repeat(4000))).toThrow(`there is no account ${'9'.repeat(80)}…; there are 3`);
  const alone = createAddressResolver({ accounts: accounts.slice(0, 1), addressFormat: formatOf(xChain) });
  expect(() => alone('1')).toThrow('there is no account 1; there is 1 account: 0 is X-local1');
});

test('an address of the EVM is named as such, with the address of the account that has it', () => {
  const needed = 'is an address of the EVM, such as the C-Chain; an address of the X-Chain is needed, which looks like X-local1…';
  // The address of the ewoq key on the C-Chain, as AvalancheGo's genesis has it.
  const ewoq = '0x8db97C7cEcE249c2b98bDC0226Cc4C2A57BF52FC';
  expect(errorOf(ewoq)).toEqual([`${ewoq} ${needed}: this is account 0, whose address is X-${bare}`, `X-${bare}`]);
  expect(errorOf(`0x${own(0)}`)[1]).toBe(`X-${bare}`);
  const stranger = `0x${'12'.repeat(20)}`;
  expect(errorOf(stranger)).toEqual([`${stranger} ${needed}`, undefined]);
});

test('an address of another chain or network is shown as one of this chain', () => {
  const needed = 'an address of the X-Chain is needed, which looks like X-local1…';
  expect(errorOf(`P-${bare}`)).toEqual([`P-${bare} is an address of the P-Chain; ${needed}: the same key has X-${bare}`, `X-${bare}`]);
  expect(errorOf(`platform-${bare}`)[0]).toContain('is an address of the P-Chain');
  const fuji = 'X-fuji1qurswpc8qurswpc8qurswpc8qurswpc82rwv4r';
  const meant = 'X-local1qurswpc8qurswpc8qurswpc8qurswpc8lzh465';
  expect(errorOf(fuji)).toEqual([`${fuji} is an address of another network (fuji); ${needed}: the same key has ${meant}`, meant]);
});

test('other texts are refused with what they are', () => {
  const needed = 'an address of the X-Chain is needed, which looks like X-local1…';
  expect(errorOf('bob')[0]).toBe(
    `"bob" is neither an address, the number of an account nor a label; ${needed}; dev.accounts lists the accounts`,
  );
  expect(errorOf('')[0]).toBe(`no address is given; ${needed}; the number of an account or a label is possible too`);
  expect(errorOf(`X-${bare.slice(0, -1)}v`)[0]).toStartWith(`X-${bare.slice(0, -1)}v is not an address: a character is wrong or missing`);
  for (const text of ['-1', '1.5', '1e3', '+1', ' 1', 'Alice', 'x'.repeat(4000)]) expect(errorOf(text)[0].length).toBeLessThan(400);
});

test('what could be taken for an address or a number cannot be a label', () => {
  for (const text of ['5', '0x1', 'X-alice', 'p-alice', 'local1', bare, 'fuji1qurswpc8qurswpc8qurswpc8qurswpc82rwv4r'])
    expect([text, looksLikeAddress(text, 'local')]).toEqual([text, true]);
  for (const text of ['alice', 'hot-wallet', 'localhost', '5 apples', 'Ünï'])
    expect([text, looksLikeAddress(text, 'local')]).toEqual([text, false]);
});
