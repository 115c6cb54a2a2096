/** A line about the node as JSON. The level of these lines is info. */
export const formatEventJson = (event: string, time: string, facts: object): string =>
  JSON.stringify({ event, time, level: 'info', ...facts });

/** A line about the node as text, without the parts that are empty: in a file its time stands before it. */
export const joinParts = (parts: readonly string[]): string => parts.filter((part) => part !== '').join('  ');
