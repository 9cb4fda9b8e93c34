import TestRunner from 'jest-runner';

/** Jest runs the files of a serial runner one at a time, separately from other runners. */
export default class SerialRunner extends TestRunner {
  isSerial = true;
}
