import { type AvailableImports } from '../metering/module-shape.js';

export const WASI_MODULE = 'wasi_snapshot_preview1';

/** Bytes of each parameter: 4 for i32, 8 for i64. Each but `proc_exit` returns an i32. */
const PARAMS = {
  args_get: '44',
  args_sizes_get: '44',
  environ_get: '44',
  environ_sizes_get: '44',
  clock_res_get: '44',
  clock_time_get: '484',
  fd_advise: '4884',
  fd_allocate: '488',
  fd_close: '4',
  fd_datasync: '4',
  fd_fdstat_get: '44',
  fd_fdstat_set_flags: '44',
  fd_fdstat_set_rights: '488',
  fd_filestat_get: '44',
  fd_filestat_set_size: '48',
  fd_filestat_set_times: '4884',
  fd_pread: '44484',
  fd_prestat_get: '44',
  fd_prestat_dir_name: '444',
  fd_pwrite: '44484',
  fd_read: '4444',
  fd_readdir: '44484',
  fd_renumber: '44',
  fd_seek: '4844',
  fd_sync: '4',
  fd_tell: '44',
  fd_write: '4444',
  path_create_directory: '444',
  path_filestat_get: '44444',
  path_filestat_set_times: '4444884',
  path_link: '4444444',
  path_open: '444448844',
  path_readlink: '444444',
  path_remove_directory: '444',
  path_rename: '444444',
  path_symlink: '44444',
  path_unlink_file: '444',
  poll_oneoff: '4444',
  proc_exit: '4',
  proc_raise: '4',
  random_get: '44',
  sched_yield: '',
  sock_accept: '444',
  sock_recv: '444444',
  sock_send: '44444',
  sock_shutdown: '44',
} as const;

export type WasiName = keyof typeof PARAMS;

const signatureOf = (name: string, params: string): string =>
  [
    ...Array.from(params, (bytes) => (bytes === '8' ? 'i64' : 'i32')),
    '->',
    ...(name === 'proc_exit' ? [] : ['i32']),
  ].join(' ');

/** Every function of WASI preview 1. Those of files and sockets find none. */
export const WASI_IMPORTS: AvailableImports = new Map([
  [
    WASI_MODULE,
    new Map(Object.entries(PARAMS).map(([name, params]) => [name, signatureOf(name, params)])),
  ],
]);

export const WASI_NAMES = Object.keys(PARAMS);
