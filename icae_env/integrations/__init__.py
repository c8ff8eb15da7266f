"""Foreign agents: programs that call us, where our own agents are called.

``hosted.HostedEpisode`` is one episode in a process of its own, which whoever has a connection to an agent drives: the MCP
server (``mcp_server``) and the environment class of mini-swe-agent (``mini_swe``). That process outlives the one that drives
it, so an episode is scored and kept however its agent's program ends.
"""
