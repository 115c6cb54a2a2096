import { afterAll, beforeAll, expect, test } from 'bun:test';
import { moveFocus } from './arrow-keys.ts';

/** The part of a page's element that the module uses; tests run without a page. */
class FakeLink {
  isFocused = false;
  readonly #place: readonly [number, number];
  readonly #picture: object | null;
  constructor(place: readonly [number, number], picture: object | null) {
    this.#place = place;
    this.#picture = picture;
  }
  closest(selector: string): unknown {
    return selector === 'a' ? this : this.#picture;
  }
  getBoundingClientRect(): object {
    return { left: this.#place[0], top: this.#place[1], width: 10, height: 10 };
  }
  focus(): void {
    this.isFocused = true;
  }
}

const before = Object.getOwnPropertyDescriptor(globalThis, 'Element');
beforeAll(() => Object.defineProperty(globalThis, 'Element', { value: FakeLink, configurable: true }));
afterAll(() => {
  if (before === undefined) Reflect.deleteProperty(globalThis, 'Element');
  else Object.defineProperty(globalThis, 'Element', before);
});

/** Presses a key on the first link. Returns the index of the link that has the focus then, and whether the key applied. */
function press(key: string, ...places: readonly (readonly [number, number])[]): [number, boolean] {
  const links: FakeLink[] = [];
  const picture = { querySelectorAll: () => links };
  for (const place of places) links.push(new FakeLink(place, picture));
  const isMoved = moveFocus({ key, target: links[0] } as unknown as KeyboardEvent);
  return [links.findIndex(({ isFocused }) => isFocused), isMoved];
}

test('an arrow key moves the focus to the nearest link in its direction, straight ahead before aside', () => {
  expect(press('ArrowRight', [0, 0], [200, 0], [100, 0], [-50, 0])).toEqual([2, true]);
  expect(press('ArrowRight', [0, 0], [60, 40], [100, 0])).toEqual([2, true]);
  expect(press('ArrowLeft', [0, 0], [100, 0], [-50, 0])).toEqual([2, true]);
  expect(press('ArrowDown', [0, 0], [0, -20], [0, 90])).toEqual([2, true]);
  expect(press('ArrowUp', [0, 0], [0, -20], [0, 90])).toEqual([1, true]);
});

test('a key without a link in its direction, another key, and a link outside of a picture change nothing', () => {
  expect(press('ArrowLeft', [0, 0], [100, 0])).toEqual([-1, false]);
  expect(press('Enter', [0, 0], [100, 0])).toEqual([-1, false]);
  const alone = new FakeLink([0, 0], null);
  expect([moveFocus({ key: 'ArrowRight', target: alone } as unknown as KeyboardEvent), alone.isFocused]).toEqual([false, false]);
});
