/** Runs once after all suites, with the modules that the set-up has loaded. */
const stopServers = async (): Promise<void> => {
  const { stopSharedServers } = await import('./shared-servers.js');
  await stopSharedServers();
};

export default stopServers;
