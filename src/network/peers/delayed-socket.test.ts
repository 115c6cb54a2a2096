import { expect, test } from 'bun:test';
import type { NodeId } from '../../base/bytes/node-id.ts';
import { createVirtualClock } from '../../base/timing/virtual-timing.fixture.ts';
import { createDelays } from './delayed-socket.ts';

const [near, far] = ['near', 'far'] as unknown as [NodeId, NodeId];

function create(node: NodeId) {
  const clock = createVirtualClock(0);
  const delays = createDelays(clock);
  const written: [number, number][] = [];
  let isClosed = false;
  const socket = delays.wrap(node, {
    write: (bytes: Uint8Array, done: () => void) => {
      written.push([bytes[0] as number, clock.now()]);
      done();
    },
    close: () => {
      isClosed = true;
    },
    pause: () => 'paused',
  } as never);
  const write = (value: number): void => socket.write(new Uint8Array([value]), () => {});
  return { clock, delays, written, write, socket, isClosed: () => isClosed };
}

test('without a delay bytes are written at once, and the rest of the socket is as it was', () => {
  const { delays, written, write, socket } = create(near);
  delays.set([far], 100);
  write(1);
  expect([written, socket.pause() as unknown]).toEqual([[[1, 0]], 'paused']);
});

test('with a delay they are written later, in their order, also when the delay becomes shorter or ends', () => {
  const { clock, delays, written, write } = create(far);
  delays.set([near, far], 100);
  write(1);
  clock.advance(10);
  delays.set([far], 20);
  write(2);
  delays.set([far], 0);
  write(3);
  clock.advance(89);
  expect(written).toEqual([]);
  clock.advance(1);
  expect(written).toEqual([
    [1, 100],
    [2, 100],
    [3, 100],
  ]);
  write(4);
  expect(written.at(-1)).toEqual([4, 100]);
});

test('each byte waits for the delay of its own time', () => {
  const { clock, delays, written, write } = create(far);
  delays.set([far], 50);
  write(1);
  clock.advance(30);
  write(2);
  clock.advance(100);
  expect(written).toEqual([
    [1, 50],
    [2, 80],
  ]);
});

test('a closed socket writes nothing more', () => {
  const { clock, delays, written, write, socket, isClosed } = create(far);
  delays.set([far], 50);
  write(1);
  socket.close();
  clock.advance(100);
  expect([written, isClosed()]).toEqual([[], true]);
});
