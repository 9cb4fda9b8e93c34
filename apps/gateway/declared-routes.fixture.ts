import 'reflect-metadata';
import { type DynamicModule, RequestMethod, type Type } from '@nestjs/common';
import {
  GUARDS_METADATA,
  METHOD_METADATA,
  MODULE_METADATA,
  PATH_METADATA,
} from '@nestjs/common/constants.js';
import { type Area } from '#platform/runtime/areas/area.js';
import { httpModulesOf } from './http-modules.js';

/** A route as a controller of an area declares it. */
export interface DeclaredRoute {
  readonly verb: RequestMethod;
  /** Such as `v1/models/:id`. */
  readonly path: string;
  /** The verb and the path. */
  readonly name: string;
  /** Of its controller and its own. */
  readonly guards: readonly unknown[];
  /** Its own, and otherwise of its controller. */
  readonly metadata: (key: string) => unknown;
}

/** Every route of the areas, at each of its addresses. */
export const declaredRoutes = async (areas: readonly Area[]): Promise<readonly DeclaredRoute[]> =>
  (await httpModulesOf(areas)).flatMap(controllersOf).flatMap(routesOf);

const of = (key: string, target: object): unknown => Reflect.getMetadata(key, target);

const addressesOf = (target: object): readonly string[] =>
  [of(PATH_METADATA, target) as string | string[]].flat();

const controllersOf = (module: Type | DynamicModule): readonly Type[] => {
  const [type, dynamic] = 'module' in module ? [module.module, module] : [module, undefined];
  const imports = [
    ...((of(MODULE_METADATA.IMPORTS, type) ?? []) as (Type | DynamicModule)[]),
    ...((dynamic?.imports ?? []) as (Type | DynamicModule)[]),
  ];
  return [
    ...((of(MODULE_METADATA.CONTROLLERS, type) ?? []) as Type[]),
    ...(dynamic?.controllers ?? []),
    ...imports.flatMap(controllersOf),
  ];
};

const routesOf = (controller: Type): readonly DeclaredRoute[] =>
  Object.getOwnPropertyNames(controller.prototype).flatMap((method) => {
    const handler = (controller.prototype as Record<string, object>)[method];
    const verb = handler && (of(METHOD_METADATA, handler) as RequestMethod | undefined);
    if (!handler || verb === undefined) return [];
    const paths = addressesOf(handler);
    const guards = [controller, handler].flatMap((one) => of(GUARDS_METADATA, one) ?? []);
    const metadata = (key: string): unknown => of(key, handler) ?? of(key, controller);
    return addressesOf(controller).flatMap((base) =>
      paths.map((end) => {
        const path = [base, end].filter((part) => part !== '/').join('/');
        return { verb, path, name: `${RequestMethod[verb]} ${path}`, guards, metadata };
      }),
    );
  });
