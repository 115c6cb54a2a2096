import { expect, test } from 'bun:test';
import { createVirtualClock } from '../../base/timing/virtual-timing.fixture.ts';
import { createOwnKeyAlert, ownKeyOutcome } from './own-key-alert.ts';

function create() {
  const clock = createVirtualClock(0);
  const seen: string[] = [];
  const timing = { ...clock, unixSeconds: () => BigInt(1000 + Math.floor(clock.now() / 1000)) };
  const alert = createOwnKeyAlert(timing as never, ({ address }) => seen.push(address));
  return { ...alert, clock, seen };
}

test('both ends of a connection of this node to itself are no sighting; one end alone is, after five seconds', () => {
  const { connection, clock, seen, last } = create();
  connection('self', '1.1.1.1:1');
  clock.advance(4999);
  connection('self', '1.1.1.1:1');
  clock.advance(10_000);
  expect([seen, last()]).toEqual([[], undefined]);
  connection('other', '2.2.2.2:2');
  clock.advance(4999);
  expect(seen).toEqual([]);
  clock.advance(1);
  expect([seen, last()]).toEqual([['2.2.2.2:2'], { address: '2.2.2.2:2', unixSeconds: 1019n }]);
});

test('after its time an end is forgotten: the same channel can be seen again', () => {
  const { connection, clock, last } = create();
  connection('c', 'a');
  clock.advance(5000);
  connection('c', 'b');
  clock.advance(5000);
  expect(last()?.address).toBe('b');
});

test('an address is reported when it is new, and its time is that of the last sighting', () => {
  const { claim, clock, seen, last } = create();
  claim('a');
  clock.advance(60_000);
  claim('a');
  expect([seen, last()]).toEqual([['a'], { address: 'a', unixSeconds: 1060n }]);
  claim('b');
  claim('a');
  expect(seen).toEqual(['a', 'b', 'a']);
});

test('64 unmatched ends are tracked', () => {
  const { connection, clock, seen } = create();
  for (let i = 0; i < 70; i++) connection(`c${i}`, `a${i}`);
  clock.advance(5000);
  expect([seen.length, seen.at(-1)]).toEqual([64, 'a63']);
});

test('a sighting keeps the check failing for ten minutes', () => {
  const sighting = { address: '2.2.2.2:2', unixSeconds: 1000n };
  const none = { details: 'no other node with this staking key was seen' };
  expect([ownKeyOutcome(undefined, 0n), ownKeyOutcome(sighting, 1601n)]).toEqual([none, none]);
  expect(ownKeyOutcome(sighting, 1600n)).toEqual({
    error: "another node with this node's staking key is at 2.2.2.2:2; stop one of them or give it another key",
  });
});
