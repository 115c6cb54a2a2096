import { afterEach, beforeEach, expect, jest, test } from 'bun:test';
import { listMatches } from './match-list.ts';

/** What the module uses of an element; tests run without a page. */
class FakeElement {
  readonly attributes = new Map<string, string>();
  readonly listeners = new Map<string, (event: object) => void>();
  children: FakeElement[] = [];
  hidden = false;
  id = '';
  value = '';
  clicks = 0;
  scrolls = 0;
  tabIndex = 0;
  form: FakeElement | undefined;
  setAttribute(name: string, value: string): void {
    this.attributes.set(name, value);
  }
  removeAttribute(name: string): void {
    this.attributes.delete(name);
  }
  append(...added: FakeElement[]): void {
    this.children.push(...added);
  }
  replaceChildren(...added: FakeElement[]): void {
    this.children = added;
  }
  addEventListener(kind: string, listener: (event: object) => void): void {
    this.listeners.set(kind, listener);
  }
  querySelector(): FakeElement | undefined {
    return this.children[0];
  }
  scrollIntoView(): void {
    this.scrolls++;
  }
  click(): void {
    this.clicks++;
  }
}

const before = Object.getOwnPropertyDescriptor(globalThis, 'document');
let page: { createElement: () => FakeElement; activeElement: FakeElement | undefined };
beforeEach(() => {
  jest.useFakeTimers();
  page = { createElement: () => new FakeElement(), activeElement: undefined };
  Object.defineProperty(globalThis, 'document', { value: page, configurable: true });
});
afterEach(() => {
  jest.useRealTimers();
  if (before === undefined) Reflect.deleteProperty(globalThis, 'document');
  else Object.defineProperty(globalThis, 'document', before);
});

/** A field with the focus, whose matches are as many links as its text has letters. */
function openField() {
  const input = new FakeElement();
  const form = new FakeElement();
  input.form = form;
  page.activeElement = input;
  const links: FakeElement[] = [];
  const asked: string[] = [];
  /** What happens while an answer is under way. */
  const onFind = { run: (): void => {} };
  const find = async (text: string) => {
    asked.push(text);
    onFind.run();
    links.splice(0, links.length, ...Array.from(text, () => new FakeElement()));
    return links as unknown as readonly HTMLAnchorElement[];
  };
  listMatches(input as unknown as HTMLInputElement, find);
  const list = form.children[0] as FakeElement;
  const fire = (kind: string, event: object = {}): void => input.listeners.get(kind)?.(event);
  return {
    input,
    list,
    links,
    asked,
    onFind,
    fire,
    type: async (text: string): Promise<void> => {
      input.value = text;
      fire('input');
      jest.advanceTimersByTime(120);
      for (let i = 0; i < 5; i++) await Promise.resolve();
    },
    /** Whether the key was taken, so that the field does not use it. */
    press: (key: string): boolean => {
      let isTaken = false;
      fire('keydown', { key, preventDefault: () => (isTaken = true) });
      return isTaken;
    },
    chosen: (): number => list.children.findIndex((item) => item.attributes.get('aria-selected') === 'true'),
  };
}

test('the field is a combobox with a list below it, which is hidden until something matches', async () => {
  const { input, list, type, links } = openField();
  expect(Object.fromEntries(input.attributes)).toEqual({
    role: 'combobox',
    'aria-controls': 'suggestions',
    'aria-autocomplete': 'list',
    'aria-expanded': 'false',
  });
  expect([list.hidden, Object.fromEntries(list.attributes)]).toEqual([true, { role: 'listbox', 'aria-label': 'Matches' }]);
  await type('ab');
  expect([list.hidden, input.attributes.get('aria-expanded')]).toEqual([false, 'true']);
  expect(list.children.map(({ id, attributes }) => `${id} ${attributes.get('role')}`)).toEqual(['match-0 option', 'match-1 option']);
  // The list is one stop of the Tab key.
  expect(links.map(({ tabIndex }) => tabIndex)).toEqual([-1, -1]);
  await type(' ');
  expect([list.hidden, list.children, input.attributes.get('aria-expanded')]).toEqual([true, [], 'false']);
});

test('a text is searched for when its reader pauses, and an answer that came too late is not shown', async () => {
  const { input, list, asked, fire, type, onFind } = openField();
  onFind.run = () => {
    input.value = 'abcd';
  };
  for (const text of ['a', 'ab', ' abc ']) {
    input.value = text;
    fire('input');
    jest.advanceTimersByTime(119);
  }
  expect(asked).toEqual([]);
  jest.advanceTimersByTime(1);
  for (let i = 0; i < 5; i++) await Promise.resolve();
  expect([asked, list.hidden]).toEqual([['abc'], true]);
  onFind.run = () => {
    page.activeElement = undefined;
  };
  await type('ab');
  expect([asked, list.hidden]).toEqual([['abc', 'ab'], true]);
});

test('arrows move round the list and out of it, Enter opens what is chosen, Escape closes the list', async () => {
  const { input, list, links, press, chosen, type } = openField();
  expect([press('ArrowDown'), press('Enter')]).toEqual([false, false]);
  await type('abc');
  expect([chosen(), press('Enter')]).toEqual([-1, false]);
  const steps = Array.from({ length: 4 }, () => [press('ArrowDown'), chosen(), input.attributes.get('aria-activedescendant')]);
  expect(steps).toEqual([
    [true, 0, 'match-0'],
    [true, 1, 'match-1'],
    [true, 2, 'match-2'],
    [true, -1, undefined],
  ]);
  expect([press('ArrowUp'), chosen(), press('ArrowUp'), chosen()]).toEqual([true, 2, true, 1]);
  expect([press('Enter'), links.map(({ clicks }) => clicks)]).toEqual([true, [0, 1, 0]]);
  expect(list.children.map(({ scrolls }) => scrolls)).toEqual([1, 2, 2]);
  expect([press('x'), press('ArrowUp'), chosen(), press('ArrowUp'), chosen()]).toEqual([false, true, 0, true, -1]);
  // A new list begins without a choice; with one item too, the choice goes out of the list and back.
  await type('a');
  expect([chosen(), press('ArrowDown'), chosen(), press('Enter'), links.map(({ clicks }) => clicks)]).toEqual([-1, true, 0, true, [1]]);
  expect([press('ArrowDown'), chosen(), press('ArrowDown'), chosen()]).toEqual([true, -1, true, 0]);
  await type('ab');
  expect([press('Enter'), input.attributes.has('aria-activedescendant')]).toEqual([false, false]);
  press('Escape');
  expect([list.hidden, press('ArrowDown'), input.attributes.has('aria-activedescendant')]).toEqual([true, false, false]);
});

test('the list closes after the field has lost the focus, late enough for a click on it', async () => {
  const { list, fire, type } = openField();
  await type('a');
  fire('blur');
  jest.advanceTimersByTime(199);
  expect(list.hidden).toBe(false);
  jest.advanceTimersByTime(1);
  expect(list.hidden).toBe(true);
});
