import { type AvailableImports } from '../metering/module-shape.js';

export const WASI_MODULE = 'wasi_snapshot_preview1';

/** The parameters of each function: `i` for i32, `l` for i64. Each but `proc_exit` returns an i32. */
const PARAMS = {
  args_get: 'ii',
  args_sizes_get: 'ii',
  environ_get: 'ii',
  environ_sizes_get: 'ii',
  clock_res_get: 'ii',
  clock_time_get: 'ili',
  fd_advise: 'illi',
  fd_allocate: 'ill',
  fd_close: 'i',
  fd_datasync: 'i',
  fd_fdstat_get: 'ii',
  fd_fdstat_set_flags: 'ii',
  fd_fdstat_set_rights: 'ill',
  fd_filestat_get: 'ii',
  fd_filestat_set_size: 'il',
  fd_filestat_set_times: 'illi',
  fd_pread: 'iiili',
  fd_prestat_get: 'ii',
  fd_prestat_dir_name: 'iii',
  fd_pwrite: 'iiili',
  fd_read: 'iiii',
  fd_readdir: 'iiili',
  fd_renumber: 'ii',
  fd_seek: 'ilii',
  fd_sync: 'i',
  fd_tell: 'ii',
  fd_write: 'iiii',
  path_create_directory: 'iii',
  path_filestat_get: 'iiiii',
  path_filestat_set_times: 'iiiilli',
  path_link: 'iiiiiii',
  path_open: 'iiiiillii',
  path_readlink: 'iiiiii',
  path_remove_directory: 'iii',
  path_rename: 'iiiiii',
  path_symlink: 'iiiii',
  path_unlink_file: 'iii',
  poll_oneoff: 'iiii',
  proc_exit: 'i',
  proc_raise: 'i',
  random_get: 'ii',
  sched_yield: '',
  sock_accept: 'iii',
  sock_recv: 'iiiiii',
  sock_send: 'iiiii',
  sock_shutdown: 'ii',
} as const;

export type WasiName = keyof typeof PARAMS;

const signatureOf = (name: string, params: string): string =>
  [
    ...[...params].map((param) => (param === 'l' ? 'i64' : 'i32')),
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
