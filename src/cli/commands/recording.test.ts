import { expect, test } from 'bun:test';
import type { RpcClient } from '../../api/client/rpc-client.ts';
import { Fault } from '../../base/fault.ts';
import { createVirtualClock } from '../../base/timing/virtual-timing.fixture.ts';
import { changesNode, comparedAnswer, formatLine, methodsOf, parseRecording, type RecordingHeader, settle } from './recording.ts';

const header: RecordingHeader = { serac: 'recording', version: 1, network: 12345, accounts: 2, automine: true, interval: 0, state: 'AAAA' };
const call = { path: '/ext/dev', body: '{"method":"dev.mine"}', answer: '{"result":{}}' };
const textOf = (...lines: object[]): string => lines.map((line) => Buffer.from(formatLine(line as never)).toString()).join('');

const failure = (text: string): string => {
  try {
    parseRecording(text, 'f');
    return 'none';
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return `${error.fault.code}: ${error.message}`;
  }
};

test('what was written is read again; a last line without an end is left out', () => {
  expect(parseRecording(textOf(header, call, call), 'f')).toEqual({ header, calls: [call, call] });
  expect(parseRecording(`${textOf(header, call)}{"path":"/e`, 'f')).toEqual({ header, calls: [call] });
  expect(parseRecording(textOf(header), 'f')).toEqual({ header, calls: [] });
});

test('a file that is no recording, of another version or damaged is refused with the line', () => {
  for (const text of ['', 'x\n', '[]\n', '{"serac":"state"}\n'])
    expect(failure(text)).toBe('RECORDING_FAILED: f is not a recording of serac record');
  expect(failure(textOf({ ...header, version: 2 }))).toBe('RECORDING_FAILED: f has version 2 of the format; this program reads version 1');
  for (const damage of [{ network: '1' }, { accounts: null }, { interval: '0' }, { automine: 1 }, { state: 5 }])
    expect(failure(textOf({ ...header, ...damage }))).toBe('RECORDING_FAILED: line 1 of f is damaged');
  for (const damage of [{ path: 1 }, { body: null }, { answer: {} }])
    expect(failure(textOf(header, call, { ...call, ...damage }))).toBe('RECORDING_FAILED: line 3 of f is damaged');
  expect(failure(`${textOf(header)}nonsense\n`)).toBe('RECORDING_FAILED: line 2 of f is damaged');
});

test('methods are those of a call or of a batch', () => {
  expect(methodsOf('{"method":"avm.issueTx"}')).toEqual(['avm.issueTx']);
  expect(methodsOf('[{"method":"a.b"},{"method":5},7,{"method":"c.d"}]')).toEqual(['a.b', 'c.d']);
  expect([methodsOf('no JSON'), methodsOf('null'), methodsOf('{}')]).toEqual([[], [], []]);
});

test('calls that change the node are recorded, others are not', () => {
  const changes = (...methods: string[]) => changesNode(JSON.stringify(methods.map((method) => ({ method }))));
  for (const method of ['avm.issueTx', 'dev.mine', 'dev.faucet', 'wallet.issueTx', 'evm_mine', 'anvil_setBalance', 'anvil_loadState'])
    expect([method, changes(method)]).toEqual([method, true]);
  for (const method of [
    'avm.getTx',
    'dev.nodeInfo',
    'info.peers',
    'eth_blockNumber',
    'txpool_status',
    'anvil_nodeInfo',
    'anvil_getAutomine',
  ])
    expect([method, changes(method)]).toEqual([method, false]);
  expect(changes('avm.getTx', 'dev.mine')).toBe(true);
  expect(changesNode('no JSON')).toBe(false);
});

test('of an answer is compared what does not depend on the real time', () => {
  const compared = (method: string, answer: string) => comparedAnswer({ body: JSON.stringify({ method }), answer });
  expect(compared('dev.getTime', '{"offset":"-12","time":"5"}\n')).toBe('{"offset":"…","time":"5"}');
  expect(compared('avm.issueTx', '{"txID":"a"}')).toBe('{"txID":"a"}');
  for (const method of ['evm_increaseTime', 'anvil_setTime']) expect(compared(method, '5')).toBe('');
  expect(compared('evm_mine', '5')).toBe('5');
});

/** A client whose node has `pending` transactions at one question after the other. */
function createClient(automine: boolean, pending: number[]): { client: RpcClient; left: number[] } {
  const call = async () => ({
    ...{
      version: '1',
      network: { id: 1, name: 'n', hrp: 'h' },
      blockchainID: 'b',
      height: '1',
      blockID: 'b',
      blockTime: '0',
      time: '0',
      offset: '0',
    },
    ...{ frozen: false, automine, interval: 0, pending: pending.shift(), impersonated: 0, impersonatedAddresses: [] },
    ...{ autoImpersonate: false, faults: [] },
  });
  return { client: { call } as unknown as RpcClient, left: pending };
}

test('a call is settled when no transaction waits, or at once where blocks are made by hand', async () => {
  const clock = createVirtualClock(0);
  const timers = { ...clock, soon: (run: () => void) => void setImmediate(run) };
  const { client, left } = createClient(true, [2, 1, 0, 9]);
  const settled = settle(client, timers);
  let isSettled = false;
  void settled.then(() => {
    isSettled = true;
  });
  for (let turns = 0; !isSettled && turns < 100; turns++) {
    clock.advance(10);
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect([isSettled, left]).toEqual([true, [9]]);
  const byHand = createClient(false, [3, 3]);
  await settle(byHand.client, timers);
  expect(byHand.left).toEqual([3]);
});
