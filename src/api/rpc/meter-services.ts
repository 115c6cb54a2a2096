import type { Meter, Services } from './method.ts';

/** Returns the services with every call recorded by the meter of its method, which is created here, once. */
export const meterServices = (services: Services, meterOf: (method: string) => Meter): Services => ({
  ...services,
  methods: new Map([...services.methods].map(([name, method]) => [name, { ...method, meter: meterOf(name) }])),
});
