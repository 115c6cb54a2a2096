/**
 * A value that is attached to objects and lives as long as they do: a WeakMap, but stored in the object itself as a private field. It is not
 * seen by JSON, spreads or comparisons.
 *
 * A WeakMap makes every garbage collection visit all its entries, also those of objects that died since the last full collection. Six
 * entries per transaction took 20 µs of CPU time of each transaction (2026-11-16, a loop that allocates 25 kB per transaction); slots take less
 * than 1 µs.
 */
type ObjectSlot<K extends object, V> = {
  readonly get: (object: K) => V | undefined;
  readonly set: (object: K, value: V | undefined) => void;
};

export function createObjectSlot<K extends object, V>(): ObjectSlot<K, V> {
  class Slot extends Returned {
    #value: V | undefined;

    private constructor(object: object, value: V | undefined) {
      super(object);
      this.#value = value;
    }

    static get(object: object): V | undefined {
      return #value in object ? object.#value : undefined;
    }

    static set(object: object, value: V | undefined): void {
      if (#value in object) object.#value = value;
      else new Slot(object, value);
    }
  }
  return { get: Slot.get, set: Slot.set };
}

/** A class whose constructor returns its argument, so that the fields of a subclass are added to that object. */
class Returned {
  constructor(object: object) {
    // biome-ignore lint/correctness/noConstructorReturn: adding a private field to an existing object is the purpose
    return object as this;
  }
}
