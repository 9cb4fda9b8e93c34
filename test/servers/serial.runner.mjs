import TestRunner from 'jest-runner';

/** Jest runs the files of a serial runner one after another, apart from those of other runners. */
export default class SerialRunner extends TestRunner {
  isSerial = true;
}
