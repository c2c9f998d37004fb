package com.example.webhooks;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.scheduling.annotation.EnableScheduling;

@SpringBootApplication
@EnableScheduling
public class ReceiverApplication {
    public static void main(String[] arguments) {
        SpringApplication.run(ReceiverApplication.class, arguments);
    }
}
