"""The engines that kernels can run: what each is, how it is found, how it is started."""
